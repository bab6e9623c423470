/**
 * How programs show a text as a literal of their language, where that is not how JSON does it:
 * `repr` and `ascii` of Python, the string literals of C, Go and Rust, and escapers for JavaScript.
 * Hexadecimal digits are written in lower case here: matching folds case.
 */
import type { Encode } from './escapes.ts';
import { utf8 } from './percent.ts';

const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

const hex = (char: string, width: number): string =>
  char.codePointAt(0)!.toString(16).padStart(width, '0');

/** `\x` for what fits a byte, which is all there is where the text was taken as bytes. */
function escapeChar(char: string): string {
  const short = SHORT.get(char);
  if (short !== undefined) return short;
  if (char >= ' ' && char <= '~') return char;
  if (char <= '\u00ff') return `\\x${hex(char, 2)}`;
  return char.length === 1 ? `\\u${hex(char, 4)}` : `\\U${hex(char, 8)}`;
}

/** Only the quotes in which the literal stands are escaped, if it stands in any. */
const literal =
  (quote: string): Encode =>
  (text) =>
    text.replace(/[^A-Za-z0-9]/gu, (char) => (char === quote ? `\\${char}` : escapeChar(char)));

/** Signs as `\x`, those beyond a byte by UTF-16 unit, as the escapers of ESAPI and Laminas do. */
const signsBut =
  (kept: string): Encode =>
  (text) =>
    text.replace(/[^A-Za-z0-9]/g, (unit) => {
      if (kept.includes(unit)) return unit;
      return unit <= '\u00ff' ? `\\x${hex(unit, 2)}` : `\\u${hex(unit, 4)}`;
    });

/** What is not printable as octal digits of its bytes: Git, PostgreSQL, the text of protobuf. */
const octal =
  (quotes: string): Encode =>
  (text) =>
    utf8(text).replace(/[^A-Za-z0-9]/g, (byte) => {
      const short = quotes.includes(byte) ? `\\${byte}` : SHORT.get(byte);
      if (short !== undefined) return short;
      if (byte >= ' ' && byte <= '~') return byte;
      return `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
    });

const ofTextAndBytes: readonly Encode[] = [
  ...['', "'", '"'].map(literal),
  ...['', ',._'].map(signsBut),
].flatMap((ofText) => [ofText, (text: string) => ofText(utf8(text))]);

export const literalEncoders: readonly Encode[] = [
  ...ofTextAndBytes,
  ...['', '"', '"\''].map(octal),
];
