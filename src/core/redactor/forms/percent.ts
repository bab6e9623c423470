/**
 * How URL encoders write a text.
 *
 * Encoders differ only in the punctuation they leave alone and in how they write a space.
 * Bytes outside ASCII are always encoded, so the result is ASCII. Hexadecimal digits are
 * written in lower case here: matching folds case.
 */
import type { Encode } from './escapes.ts';

const ESCAPED = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).padStart(2, '0')}`);

/** The UTF-8 bytes of a text, as a string with one character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function percentEncoder(kept: string, space = '%20'): Encode {
  const keep = new Set(kept);
  const escapeByte = (byte: string): string => {
    if (byte === ' ') return space;
    return keep.has(byte) ? byte : ESCAPED[byte.charCodeAt(0)]!;
  };
  return (text) => utf8(text).replace(/[^A-Za-z0-9]/g, escapeByte);
}

const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(
  '',
);
const without = (excluded: string): string =>
  [...PRINTABLE].filter((char) => !excluded.includes(char)).join('');

const RFC_3986 = '-._~';
const COMPONENT = "-._~!*'()";
const SEGMENT = "-._~!$&'()*+,;=:@";

/** `encodeURIComponent`. */
export const percentComponent = percentEncoder(COMPONENT);
/** `application/x-www-form-urlencoded`, as `URLSearchParams` writes it. */
export const percentForm = percentEncoder('*-._', '+');
/** `encodeURI`. */
export const percentUri = percentEncoder(`${COMPONENT};,/?:@&=+$#`);

export const percentEncoders: readonly Encode[] = [
  percentComponent,
  percentForm,
  percentUri,
  percentEncoder(''),
  percentEncoder('', '+'),
  percentEncoder(RFC_3986),
  percentEncoder(RFC_3986, '+'),
  percentEncoder('-._'),
  percentEncoder('-._', '+'),
  percentEncoder(COMPONENT, '+'),
  percentEncoder(`${RFC_3986}/`),
  percentEncoder(`${RFC_3986}/`, '+'),
  percentEncoder(SEGMENT),
  percentEncoder(`${SEGMENT}/`),
  // The `escape` of JavaScript.
  percentEncoder('@*_+-./'),
  // Go, in a segment, in a path and in a password.
  percentEncoder(`${RFC_3986}$&+=:@`),
  percentEncoder(`${RFC_3986}$&+=:@,/;`),
  percentEncoder(`${RFC_3986}$&+=,;`),
  // The URL of browsers and of Node, in a password, a query and a path. It leaves `%` alone.
  percentEncoder(without('"#<>?`{}^/:;=@[\\]|')),
  percentEncoder(without('"#<>')),
  percentEncoder(without('"#<>\'')),
  percentEncoder(without('"#<>?`{}')),
  percentEncoder(without('"#<>?`{}^')),
  // The same by encoders that know that `%` must not stay, and the least anyone does.
  percentEncoder(without('%"#<>')),
  percentEncoder(without('%')),
  percentEncoder(PRINTABLE),
];

/** Every byte of a one-character-a-byte string as `%XX`. */
export const percentEveryByte: Encode = (bytes) =>
  bytes.replace(/./gs, (byte) => ESCAPED[byte.charCodeAt(0)]!);

export const percentEvery: Encode = (text) => percentEveryByte(utf8(text));
