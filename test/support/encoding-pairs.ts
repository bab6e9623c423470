/** Every ordered pair of the encodings that the threat model names. */
type Encode = (bytes: Buffer) => Buffer;

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
const json = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${hexOf(unit)}`);
const form = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const html = (text: string): string => text.replace(/[&<>"']/g, (sign) => REFERENCES[sign]!);

const ofText =
  (encode: (text: string) => string): Encode =>
  (bytes) =>
    Buffer.from(encode(bytes.toString()));
/** These are of text; the others of any bytes. */
const TEXT_ENCODERS: Readonly<Record<string, Encode>> = {
  JSON: ofText(json),
  percent: ofText(encodeURIComponent),
  form: ofText(form),
  HTML: ofText(html),
};
const ENCODERS: Readonly<Record<string, Encode>> = {
  ...TEXT_ENCODERS,
  base64: (bytes) => Buffer.from(bytes.toString('base64')),
  base64url: (bytes) => Buffer.from(bytes.toString('base64url')),
  hex: (bytes) => Buffer.from(bytes.toString('hex')),
  'upper-case hex': (bytes) => Buffer.from(bytes.toString('hex').toUpperCase()),
  'UTF-16 LE': (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  'UTF-16 BE': (bytes) => Buffer.from(bytes.toString(), 'utf16le').swap16(),
};
const isWide = (name: string): boolean => name.startsWith('UTF-16');
/** UTF-16 is no text to the encoders of text. */
const isPair = (inner: string, outer: string): boolean =>
  !isWide(inner) || !(isWide(outer) || outer in TEXT_ENCODERS);

export const ENCODING_PAIRS: readonly { readonly name: string; readonly encode: Encode }[] =
  Object.entries(ENCODERS).flatMap(([innerName, inner]) =>
    Object.entries(ENCODERS)
      .filter(([outerName]) => isPair(innerName, outerName))
      .map(([outerName, outer]) => ({
        name: `${innerName} in ${outerName}`,
        encode: (bytes) => outer(inner(bytes)),
      })),
  );
