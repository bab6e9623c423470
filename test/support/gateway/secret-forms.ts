/**
 * Awkward secrets, and the ways in which upstreams write a value back, each by the means of an
 * ordinary program and none by those of the redactor.
 */

const PEM = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49
AwEHoUQDQgAEPR3tU2Fta9ktY+6P9G0cWO+0kETA6SFs38GecTyudlHz6xvCdz8q
-----END EC PRIVATE KEY-----`;

export const AWKWARD: Readonly<Record<string, string>> = {
  plain: 'tok_Zk4eC39HqLyjWDarjtT1zdp7dc',
  eight: 'aB3$xY9/',
  quotes: `zq"8k'v"3'mmw`,
  slashes: 'wJalr/XUtn/FEMI+K7MD==',
  backslash: 'C:\\vq8\\nw3\\tz6',
  spaces: 'corr3ct h0rse b4ttery',
  url: 'a+b%c&d=e?f#g;h%20i',
  markup: '<q8 v="z3">&amp;k',
  accents: 'pässwörd-éàü',
  scripts: 'пароль-密码-кл',
  emoji: 'k3y😀w1th🔑m0ji',
  base64: Buffer.from('inner value of the token').toString('base64'),
  pem: PEM,
  long: Array.from({ length: 60 }, (_, index) => `${index.toString(36)}Zx${index * 7919}`).join(
    '.',
  ),
};

type Write = (value: string) => string | Uint8Array;

const inJson = (value: string) => JSON.stringify(value).slice(1, -1);
const unicodeEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const python = (value: string) => inJson(value).replace(/[\u007f-\uffff]/g, unicodeEscape);
const everyByte = (value: string, write: (hex: string) => string) =>
  Array.from(Buffer.from(value), (byte) => write(byte.toString(16).padStart(2, '0'))).join('');
const everyCharacter = (value: string, write: (code: number) => string) =>
  Array.from(value, (character) => write(character.codePointAt(0)!)).join('');
const inHtml = (value: string, apostrophe: string) =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
const inForm = (value: string) => new URLSearchParams([['', value]]).toString().slice(1);

export const FORMS: Readonly<Record<string, Write>> = {
  raw: (v) => v,
  'upper case': (v) => v.toUpperCase(),
  'lower case': (v) => v.toLowerCase(),
  'JSON.stringify': inJson,
  'json.dumps': python,
  'json.dumps with upper-case digits': (v) =>
    python(v).replace(/\\u(....)/g, (_, digits: string) => `\\u${digits.toUpperCase()}`),
  json_encode: (v) => python(v).replaceAll('/', '\\/'),
  'JSON in JSON': (v) => inJson(inJson(v)),
  'JSON, every character': (v) => v.split('').map(unicodeEscape).join(''),
  Gson: (v) => inJson(v).replace(/[<>&='\u2028\u2029]/g, unicodeEscape),
  'escapejs of Django': (v) => v.replace(/[\0-\x1f\\'"<>&=;`\u2028\u2029-]/g, unicodeEscape),
  'JSON, every sign': (v) => v.replace(/[\0-/:-@[-`{-\x7f]/g, unicodeEscape),
  'hex escapes, every sign': (v) =>
    v.replace(/[^A-Za-z0-9]/gu, (sign) => everyByte(sign, (hex) => `\\x${hex}`)),
  encodeURIComponent: (v) => encodeURIComponent(v),
  'encodeURIComponent in lower case': (v) =>
    encodeURIComponent(v).replace(/%../g, (byte) => byte.toLowerCase()),
  'encodeURIComponent twice': (v) => encodeURIComponent(encodeURIComponent(v)),
  encodeURI: (v) => encodeURI(v),
  'a form': inForm,
  'a form twice': (v) => inForm(inForm(v)),
  'percent, every byte': (v) => everyByte(v, (hex) => `%${hex.toUpperCase()}`),
  'percent, every byte in lower case': (v) => everyByte(v, (hex) => `%${hex}`),
  'percent, every byte twice': (v) =>
    everyByte(
      everyByte(v, (hex) => `%${hex}`),
      (hex) => `%${hex}`,
    ),
  'the password of a URL': (v) => Object.assign(new URL('http://u@h/'), { password: v }).password,
  HTML: (v) => inHtml(v, '&#39;'),
  'HTML of Python': (v) => inHtml(v, '&#x27;'),
  'HTML of PHP': (v) => inHtml(v, '&#039;'),
  XML: (v) => inHtml(v, '&apos;'),
  'HTML, every character decimal': (v) => everyCharacter(v, (code) => `&#${code};`),
  'HTML, every character hexadecimal': (v) =>
    everyCharacter(v, (code) => `&#x${code.toString(16).toUpperCase()};`),
  'HTML of Handlebars': (v) =>
    inHtml(v, '&#x27;').replaceAll('=', '&#x3D;').replaceAll('`', '&#x60;'),
  'HTML, every character in JSON of Go': (v) => everyCharacter(v, (code) => `\\u0026#${code};`),
  base64: (v) => Buffer.from(v).toString('base64'),
  'base64 of x:secret': (v) => Buffer.from(`x:${v}`).toString('base64'),
  'base64 of xx:secret': (v) => Buffer.from(`xx:${v}`).toString('base64'),
  'base64 of xxx:secret': (v) => Buffer.from(`xxx:${v}`).toString('base64'),
  'base64 of secret and more': (v) => Buffer.from(`x:${v}, and more`).toString('base64'),
  base64url: (v) => Buffer.from(v).toString('base64url'),
  'base64url of x:secret': (v) => Buffer.from(`x:${v}`).toString('base64url'),
  'base64url of xx:secret': (v) => Buffer.from(`xx:${v}`).toString('base64url'),
  hex: (v) => Buffer.from(v).toString('hex'),
  'hex in upper case': (v) => Buffer.from(v).toString('hex').toUpperCase(),
  'UTF-16 LE': (v) => Buffer.from(v, 'utf16le'),
  'UTF-16 BE': (v) => Buffer.from(v, 'utf16le').swap16(),
};

/** The forms of a value as bytes, by name. */
export function formsWritten(value: string): [name: string, form: Buffer][] {
  return Object.entries(FORMS).map(([name, write]) => [name, Buffer.from(write(value) as string)]);
}

/**
 * What no output may hold of a value, as text with one character for each byte: each form, and
 * each piece of twelve bytes of the value itself. Base64 is taken without the characters at its
 * ends, which also depend on the neighbours of the value.
 */
export function traces(value: string): string[] {
  const forms = formsWritten(value).map(([name, form]) => {
    const text = form.toString('latin1');
    return name.startsWith('base64') ? text.replace(/=+$/, '').slice(5, -2) : text;
  });
  const bytes = Buffer.from(value).toString('latin1');
  const pieces = Array.from({ length: Math.max(0, bytes.length - 11) }, (_, index) =>
    bytes.slice(index, index + 12),
  );
  return [...forms, ...pieces].filter((text) => text.length >= WINDOW);
}

const WINDOW = 8;

/** Looks for any of many texts at once, whatever the case; texts have eight characters or more. */
export class TraceFinder {
  readonly #byBeginning = new Map<string, Set<string>>();

  constructor(texts: Iterable<string>) {
    for (const text of texts) {
      const folded = text.toLowerCase();
      const beginning = folded.slice(0, WINDOW);
      const known = this.#byBeginning.get(beginning);
      if (known) known.add(folded);
      else this.#byBeginning.set(beginning, new Set([folded]));
    }
  }

  /** The first trace, with what is around it. */
  find(bytes: Buffer): string | undefined {
    const text = bytes.toString('latin1').toLowerCase();
    for (let at = 0; at + WINDOW <= text.length; at++) {
      const candidates = this.#byBeginning.get(text.slice(at, at + WINDOW));
      for (const candidate of candidates ?? []) {
        if (text.startsWith(candidate, at)) {
          return `${candidate.slice(0, 80)} in …${text.slice(Math.max(0, at - 60), at + 120)}…`;
        }
      }
    }
    return undefined;
  }
}
