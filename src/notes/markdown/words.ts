/** Counts words: runs of letters and digits, and each Chinese or Japanese character. */
export function countWords(bytes: Buffer, from: number): number {
  let words = 0;
  let inWord = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte >= 0xe3 && byte <= 0xe9) {
      // U+3000 to U+9FFF; U+3000 to U+303F are the punctuation.
      if (byte !== 0xe3 || bytes[at + 1] !== 0x80) words++;
      inWord = false;
      at += 2;
    } else if (byte >= 0x80 || isAlphanumeric(byte)) {
      if (!inWord) words++;
      inWord = true;
    } else if (byte !== 0x27 && byte !== 0x5f) {
      inWord = false;
    }
  }
  return words;
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 122);
}
