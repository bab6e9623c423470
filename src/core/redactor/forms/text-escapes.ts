/**
 * The common escapes of text, each as one encoder in wide use writes it.
 *
 * They are needed where a form cannot be matched sign by sign: within base64, hexadecimal or
 * UTF-16, and for the few values of which no spelling can be searched for in linear time.
 */
type Encode = (text: string) => string;

/** The UTF-8 bytes of a text, as a string with one character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Escapes single characters, or the bytes of those beyond ASCII. */
const escaping =
  (signs: RegExp, encode: (sign: string) => string): Encode =>
  (text) =>
    text.replace(signs, encode);

const unicode = (unit: string): string => `\\u${hex(unit, 4)}`;
const hex = (unit: string, width: number): string =>
  unit.charCodeAt(0).toString(16).padStart(width, '0');

const jsonPlain: Encode = (text) => JSON.stringify(text).slice(1, -1);
/** Python's default. */
const jsonAscii: Encode = (text) => escaping(/[\u007f-\uffff]/g, unicode)(jsonPlain(text));
/** PHP's default. */
const jsonPhp: Encode = (text) => jsonAscii(text).replaceAll('/', '\\/');
/** Go's and Rails' default, safe inside HTML. */
const jsonGo: Encode = (text) => escaping(/[<>&\u2028\u2029]/g, unicode)(jsonPlain(text));
/** .NET's default. */
const jsonDotNet: Encode = (text) =>
  escaping(/[<>&'+`]/g, unicode)(jsonAscii(text).replaceAll('\\"', '\\u0022'));

const percentComponent: Encode = (text) => encodeURIComponent(text.toWellFormed());
const percentLowerCase: Encode = (text) =>
  percentComponent(text).replace(/%../g, (byte) => byte.toLowerCase());
const percentForm: Encode = (text) => new URLSearchParams([['', text]]).toString().slice(1);

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const htmlText: Encode = (text) => text.replace(/[&<>]/g, (sign) => MARKUP[sign]!);
/** What most template languages do. */
const htmlAttribute: Encode = (text) =>
  htmlText(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');

const ESCAPES: readonly Encode[] = [
  jsonPlain,
  jsonAscii,
  jsonPhp,
  jsonGo,
  jsonDotNet,
  htmlText,
  htmlAttribute,
  percentComponent,
  percentLowerCase,
  percentForm,
];

/** What the common encoders make of a text, and JSON of JSON; without the text itself. */
export function commonEscapes(text: string): Set<string> {
  return distinct(text, [...ESCAPES.map((encode) => encode(text)), jsonPlain(jsonPlain(text))]);
}

/** The same, and what they make of that. */
export function nestedEscapes(text: string): Set<string> {
  const once = commonEscapes(text);
  const twice = [...once].flatMap((escaped) => ESCAPES.map((encode) => encode(escaped)));
  return distinct(text, [...once, ...twice]);
}

function distinct(text: string, escaped: readonly string[]): Set<string> {
  const all = new Set(escaped);
  all.delete(text);
  return all;
}
