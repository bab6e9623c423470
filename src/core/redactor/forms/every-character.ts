/**
 * Text of which every character is escaped, letters and digits too, and the layer of JSON, HTML or
 * a URL that may be around it. Hexadecimal digits are in lower case: matching folds case.
 */
import { encodeHTML } from 'entities';

type Write = (code: number) => string;

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');
const decimal = (code: number, width: number): string => String(code).padStart(width, '0');

const BACKSLASH_IN_URL = '%5c';
/** As it is, in JSON, and in a URL. */
const LAYERS_OF_BACKSLASH = ['\\', '\\\\', BACKSLASH_IN_URL];
/** As it is, and in a URL. */
const LAYERS_OF_PERCENT = ['%', '%25'];
/** As it is, in HTML again, and in JSON that is safe in HTML. */
const LAYERS_OF_AMPERSAND = ['&', '&amp;', '&#38;', '\\u0026'];
/** In a URL, where the signs of a reference are escaped, too. */
const REFERENCE_IN_URL = ['%26%23', '%3b'] as const;

/** By UTF-16 unit. */
const UNITS: readonly Write[] = [
  ...LAYERS_OF_BACKSLASH.map(
    (sign): Write =>
      (code) =>
        `${sign}u${hex(code, 4)}`,
  ),
  (code) => `%u${hex(code, 4)}`,
];
/** By byte. */
const BYTES: readonly Write[] = [
  ...LAYERS_OF_BACKSLASH.map(
    (sign): Write =>
      (code) =>
        `${sign}x${hex(code, 2)}`,
  ),
  ...LAYERS_OF_PERCENT.map(
    (sign): Write =>
      (code) =>
        `${sign}${hex(code, 2)}`,
  ),
  (code) => `\\${code.toString(8).padStart(3, '0')}`,
  (code) => `=${hex(code, 2)}`,
];
/** By code point. */
const POINTS: readonly Write[] = [
  ...LAYERS_OF_AMPERSAND.flatMap((sign): Write[] => [
    (code) => `${sign}#${code};`,
    (code) => `${sign}#x${hex(code, 1)};`,
  ]),
  (code) => REFERENCE_IN_URL.join(String(code)),
  (code) => REFERENCE_IN_URL.join(`x${hex(code, 1)}`),
  (code) => `&#${code}`,
  (code) => `&#x${hex(code, 1)}`,
  (code) => `&#${decimal(code, 3)};`,
  (code) => `&#${decimal(code, 4)};`,
  (code) => `&#x${hex(code, 4)};`,
  (code) => `\\u{${hex(code, 1)}}`,
  (code) => `\\x{${hex(code, 1)}}`,
  (code) => `\\${hex(code, 1)} `,
];

/** jsesc with `escapeEverything`: quotes and backslashes are not written as numbers. */
const jsescUnit: Write = (code) => {
  const char = String.fromCharCode(code);
  if ('\\\'"`'.includes(char)) return `\\${char}`;
  return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
};
/** he with `encodeEverything` and `useNamedReferences`, and where its names are others. */
const NAMES_OF_HE: Readonly<Record<string, string>> = {
  '[': '&lsqb;',
  '\\': '&#x5c;',
  ']': '&rsqb;',
  '`': '&grave;',
  '{': '&lcub;',
  '|': '&vert;',
  '}': '&rcub;',
};
const namedPoint: Write = (code) => {
  const char = String.fromCodePoint(code);
  const name = NAMES_OF_HE[char] ?? encodeHTML(char);
  return name.startsWith('&') ? name : `&#x${hex(code, 1)};`;
};
const LAYERS_OF_MIXED: readonly ((written: string) => string)[] = [
  (written) => written,
  (written) => JSON.stringify(written).slice(1, -1),
  (written) => written.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  (written) => written.replace(/[&"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  encodeURIComponent,
];
const MIXED_WRITERS = [memoized(jsescUnit), memoized(namedPoint)] as const;

const percent = memoized((code) => `%${hex(code, 2)}`);
const [unitWriters, byteWriters, pointWriters] = [UNITS, BYTES, POINTS].map((writers) =>
  writers.map(memoized),
) as [Write[], Write[], Write[]];

const write = (codes: readonly number[], encode: Write): string => codes.map(encode).join('');

/** What is written for the codes up to U+00FF is made once: 50 secrets ask a hundred thousand times. */
function memoized(encode: Write): Write {
  const written = Array.from({ length: 0x100 }, (_, code) => encode(code));
  return (code) => written[code] ?? encode(code);
}

/** Each form as a string with one character for each byte. */
export function everyCharacter(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string[] {
  const bytes = [...Buffer.from(text, encoding)];
  const units = text.split('').map((char) => char.charCodeAt(0));
  const points = Array.from(text, (char) => char.codePointAt(0)!);
  const mixed = [write(units, MIXED_WRITERS[0]), write(points, MIXED_WRITERS[1])];
  return [
    ...mixed.flatMap((written) => LAYERS_OF_MIXED.map((layer) => layer(written))),
    ...unitWriters.map((encode) => write(units, encode)),
    ...byteWriters.map((encode) => write(bytes, encode)),
    ...pointWriters.map((encode) => write(points, encode)),
    // An encoder that escapes every byte may be applied twice.
    write([...Buffer.from(write(bytes, percent))], percent),
  ];
}

/** Letters and digits of which the first is escaped: `RegExp.escape`, and an identifier of CSS. */
export function firstEscaped(text: string): string[] {
  if (!/^[A-Za-z0-9]+$/.test(text)) return [];
  const first = text.charCodeAt(0);
  return [`\\x${hex(first, 2)}${text.slice(1)}`, `\\${hex(first, 1)} ${text.slice(1)}`];
}
