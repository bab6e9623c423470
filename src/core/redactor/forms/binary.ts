/**
 * The forms of a secret that encode its bytes, for base64 redaction and the like: base64, hexadecimal,
 * UTF-16 and UTF-32. Bytes are strings with one character for each.
 */

/**
 * The base64 characters that the given bytes determine wholly, whatever is before and
 * after them, at each of the three alignments and in both alphabets. So `user:secret` in a Basic
 * header holds one of them.
 */
export function base64Forms(bytes: string): string[] {
  return ['', '\0', '\0\0'].flatMap((before) => {
    const start = Math.ceil((before.length * 8) / 6);
    const end = Math.floor(((before.length + bytes.length) * 8) / 6);
    const form = btoa(before + bytes).slice(start, end);
    return /[+/]/.test(form) ? [form, form.replaceAll('+', '-').replaceAll('/', '_')] : [form];
  });
}

/** The same of base32 (RFC 4648), at its five alignments. */
export function base32Forms(bytes: string): string[] {
  return Array.from({ length: 5 }, (_, before) => {
    const bits = Array.from('\0'.repeat(before) + bytes, (byte) =>
      byte.charCodeAt(0).toString(2).padStart(8, '0'),
    ).join('');
    const start = Math.ceil((before * 8) / 5) * 5;
    const digits = bits.slice(start).match(/.{5}/g) ?? [];
    return digits.map((digit) => BASE32[Number.parseInt(digit, 2)]).join('');
  });
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function plainHex(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex');
}

/** Hexadecimal plain, and in columns. */
export function hexForms(bytes: string): string[] {
  const pairs = plainHex(bytes).match(/../g) ?? [];
  return ['', ':', ' ', '-', '.'].map((between) => pairs.join(between));
}

/** Bytes as numbers: a `Buffer` in JSON, a slice that Go prints, an array in C. */
export function byteLists(bytes: string): string[] {
  const numbers = Buffer.from(bytes, 'latin1');
  const decimal = numbers.join(',');
  const hex = numbers.toString('hex').replace(/../g, ',0x$&').slice(1);
  const joined = (list: string, between: string): string => list.replaceAll(',', between);
  return [decimal, hex].flatMap((list) => [list, joined(list, ', '), joined(list, ' ')]);
}

/** UTF-16, little-endian and big-endian. */
export function utf16Forms(text: string): string[] {
  const units = Buffer.from(text, 'utf16le');
  return [units.toString('latin1'), Buffer.from(units).swap16().toString('latin1')];
}

/** What both have in common, where it is one text: all but a zero byte at one end. */
export function utf16Cores(text: string): string[] {
  return /^[\u0000-\u00ff]+$/.test(text) ? [[...text].join('\0')] : utf16Forms(text);
}

export function utf32Forms(text: string): string[] {
  const codes = Buffer.alloc(4 * [...text].length);
  let at = 0;
  for (const char of text) at = codes.writeUInt32LE(char.codePointAt(0)!, at);
  return [codes.toString('latin1'), Buffer.from(codes).swap32().toString('latin1')];
}

/**
 * The bytes that a text encodes when it is itself base64 or base64url, or nothing.
 * A text that merely could be base64 counts: most tokens do.
 */
export function decodedBase64(text: string): Buffer | undefined {
  const digits = text.replace(/=+$/, '');
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)$/.test(digits) || digits.length % 4 === 1) {
    return undefined;
  }
  return Buffer.from(digits, 'base64');
}
