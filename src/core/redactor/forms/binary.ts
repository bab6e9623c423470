/**
 * How bytes are written as text: base64 and hexadecimal, and text as UTF-16 and UTF-32.
 */

/**
 * The base64 characters that the given bytes determine wholly, whatever stands before and
 * after them, at each of the three alignments. So `user:secret` in a Basic header holds
 * one of them. The bytes are a string with one character for each.
 */
function determinedBase64(bytes: string): string[] {
  return ['', '\0', '\0\0'].map((before) => {
    const start = Math.ceil((before.length * 8) / 6);
    const end = Math.floor(((before.length + bytes.length) * 8) / 6);
    return btoa(before + bytes).slice(start, end);
  });
}

/** The same in both alphabets. */
export function base64Forms(bytes: string): string[] {
  return determinedBase64(bytes).flatMap((form) =>
    /[+/]/.test(form) ? [form, form.replaceAll('+', '-').replaceAll('/', '_')] : [form],
  );
}

/** Base64 of a text that holds base64 of the bytes: the `auth` of Docker, kept by Kubernetes. */
export function nestedBase64Forms(bytes: string): string[] {
  return determinedBase64(bytes).flatMap(base64Forms);
}

/** Hexadecimal plain, in columns, as .NET writes bytes, and as the escapes of string literals. */
export function hexForms(bytes: Buffer): string[] {
  const plain = bytes.toString('hex');
  const pairs = plain.match(/../g) ?? [];
  const columns = [':', ' ', '-'].map((between) => pairs.join(between));
  return [plain, ...columns, pairs.map((pair) => `\\x${pair}`).join('')];
}

/** Bytes as numbers: a `Buffer` in JSON, a slice that Go prints, an array in C. */
export function byteLists(bytes: Buffer): string[] {
  const decimal = bytes.join(',');
  const hex = bytes.toString('hex').replace(/../g, ',0x$&').slice(1);
  const spaced = (list: string): string => list.replaceAll(',', ', ');
  return [decimal, spaced(decimal), decimal.replaceAll(',', ' '), hex, spaced(hex)];
}

/** UTF-16 and UTF-32, in both orders of the bytes. */
export function wideForms(text: string): Buffer[] {
  const units = Buffer.from(text, 'utf16le');
  const codes = Buffer.alloc(4 * [...text].length);
  let at = 0;
  for (const char of text) at = codes.writeUInt32LE(char.codePointAt(0)!, at);
  return [units, Buffer.from(units).swap16(), codes, Buffer.from(codes).swap32()];
}

/**
 * The bytes that a text stands for when it is itself base64 or base64url, or nothing.
 * A text that merely could be base64 counts: most tokens do.
 */
export function decodedBase64(text: string): Buffer | undefined {
  const digits = text.replace(/=+$/, '');
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)$/.test(digits) || digits.length % 4 === 1) {
    return undefined;
  }
  return Buffer.from(digits, 'base64');
}
