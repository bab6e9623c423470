/**
 * How mail writes a text that must be printable: quoted-printable (RFC 2045, section 6.7) in a body,
 * the Q encoding (RFC 2047, section 4.2) in a header. Hexadecimal digits are written in lower case
 * here: matching folds case.
 */
import type { Encode } from './escapes.ts';
import { utf8 } from './percent.ts';

const ESCAPED = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).padStart(2, '0')}`);

const printable =
  (escaped: RegExp): Encode =>
  (text) =>
    utf8(text).replace(escaped, (byte) => ESCAPED[byte.charCodeAt(0)]!);

export const mailEncoders: readonly Encode[] = [
  // With the line breaks as they are, and with every byte that is no printable sign.
  printable(/[^\n\r\t -<>-~]/g),
  printable(/[^ -<>-~]/g),
  (text) => printable(/[^A-Za-z0-9!*+\-/ ]/g)(text).replaceAll(' ', '_'),
];
