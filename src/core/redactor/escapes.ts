/**
 * The table of escapes: how encoders write a character.
 *
 * An escape is a text with one character for each byte. Its letters are matched in any case, and its
 * signs may be escaped again by the layer around it.
 */
import { encodeHTML } from 'entities';

/** Three escapes over each other: a URL in JSON in HTML. */
export const DEPTH = 3;

/** The longest number has this many digits, leading zeros included. */
const MAX_DIGITS = 8;
/** The same in a layer around another escape. */
const MAX_LAYER_DIGITS = 4;

/** Signs that some encoder doubles: CSV, SQL, make, printf, Razor, format strings. */
const DOUBLED = '"\'\\$%`{}@#^&~!';

/** Further names of HTML. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  '"': ['QUOT'],
  "'": ['apos'],
  '*': ['midast'],
  '[': ['lbrack', 'lsqb'],
  '\\': ['bsol'],
  ']': ['rbrack', 'rsqb'],
  '^': ['Hat'],
  _: ['lowbar', 'UnderBar'],
  '`': ['grave', 'DiacriticalGrave'],
  '{': ['lcub', 'lbrace'],
  '|': ['vert', 'verbar', 'VerticalLine'],
  '}': ['rcub', 'rbrace'],
  '\u00a0': ['NonBreakingSpace'],
};

const SHORTHAND: Readonly<Record<string, readonly string[]>> = {
  '\n': ['\\n', "'\n'"],
  '\r': ['\\r'],
  '\t': ['\\t'],
  '\b': ['\\b'],
  '\f': ['\\f'],
  '\v': ['\\v'],
  '\u0007': ['\\a'],
  '\u001b': ['\\e'],
  // Forms of HTML, headers of mail (RFC 2047), properties of XML Schema.
  ' ': ['+', '_', '\\s'],
  // Shells close the quotes, and open them again.
  "'": ["'\\''", `'"'"'`],
  // `git rev-parse --sq-quote`, against the history of shells.
  '!': ["'\\!'"],
  // JSON Pointer (RFC 6901).
  '~': ['~0'],
  '/': ['~1'],
};

/** Escapes of the layers that may be around another: JSON, JavaScript, URLs, HTML and XML. */
function layerEscapesOf(code: number, maxDigits = MAX_LAYER_DIGITS): string[] {
  const character = String.fromCodePoint(code);
  const hex = code.toString(16);
  const escapes = [
    ...padded(String(code), 1, maxDigits).flatMap((digits) => reference(`#${digits}`)),
    ...padded(hex, 1, maxDigits).flatMap((digits) => reference(`#x${digits}`)),
    ...namesOf(character).flatMap(reference),
  ];
  if (code < 0x10000) escapes.push(`\\u${hex.padStart(4, '0')}`);
  if (code < 0x100) {
    const byte = hex.padStart(2, '0');
    escapes.push(`\\x${byte}`, `%${byte}`);
  }
  // Also before each byte of UTF-8, by Perl's `quotemeta`.
  if (code < 0x100 && !isAlphanumeric(code)) escapes.push(`\\${character}`);
  return escapes;
}

/** Every escape of a character, beside the character itself. */
function escapesOf(code: number): string[] {
  const character = String.fromCodePoint(code);
  const hex = code.toString(16);
  const escapes = [
    ...layerEscapesOf(code, MAX_DIGITS),
    ...padded(hex, 1, MAX_DIGITS).flatMap((digits) => [`\\u{${digits}}`, `\\x{${digits}}`]),
    // CSS, where a blank may end it; LDAP (RFC 4515).
    ...padded(hex, 1, 6).flatMap((digits) => [`\\${digits}`, `\\${digits} `]),
    `\\U${hex.padStart(8, '0')}`,
    ...(SHORTHAND[character] ?? []),
  ];
  if (code < 0x10000) escapes.push(`%u${hex.padStart(4, '0')}`);
  if (code < 0x100) {
    // Octal as in C, decimal as in DNS and OCaml, hexadecimal as in Scheme, quoted-printable.
    escapes.push(...padded(code.toString(8), 1, 3).map((digits) => `\\${digits}`));
    escapes.push(...padded(String(code), 3, 3).map((digits) => `\\${digits}`));
    escapes.push(`\\x${hex};`, `=${hex.padStart(2, '0')}`);
  }
  if (DOUBLED.includes(character)) escapes.push(character + character);
  // cmd.exe and PowerShell.
  if (isSign(code)) escapes.push(`^${character}`, `\`${character}`);
  return escapes;
}

/** At the innermost all escapes of a code, above it those of the layers. */
export const escapesAt = (code: number, depth: number): readonly string[] =>
  depth === DEPTH ? escapesOf(code) : layerEscapesOf(code);

/**
 * The codes that a character is escaped by: its code point, its UTF-16 units, the bytes of its UTF-8;
 * of a letter those of both cases.
 */
export function sequencesOf(character: string): number[][] {
  const code = character.codePointAt(0)!;
  if (code < 0x80) {
    const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
    return [...cases].map((letter) => [letter.charCodeAt(0)]);
  }
  const units = character.split('').map((unit) => unit.charCodeAt(0));
  const sequences = [[code], [...Buffer.from(character)]];
  return units.length === 1 ? sequences : [...sequences, units];
}

/** Whether this is an ASCII letter or digit, which encoders leave as it is. */
export const isAlphanumeric = (code: number): boolean =>
  /[A-Za-z0-9]/.test(String.fromCodePoint(code));

/** Whether this is punctuation or white space of ASCII. */
const isSign = (code: number): boolean => code < 0x80 && !isAlphanumeric(code);

/** Browsers accept a reference without its semicolon. */
const reference = (body: string): string[] => [`&${body};`, `&${body}`];

function namesOf(character: string): string[] {
  const usual = /^&(\w+);$/.exec(encodeHTML(character))?.slice(1) ?? [];
  return [...usual, ...(OTHER_NAMES[character] ?? [])];
}

/** The digits with leading zeros, in each number of digits. */
function padded(digits: string, least: number, most: number): string[] {
  const from = Math.max(least, digits.length);
  return Array.from({ length: most - from + 1 }, (_, more) => digits.padStart(from + more, '0'));
}
