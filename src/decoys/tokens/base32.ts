/** Base32 (RFC 4648, section 6) without padding, for byte counts that fill whole characters. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/** Five bytes give eight characters; the length must be a multiple of five. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(pending >> bits) & 31];
    }
  }
  return text;
}

/** Lower case only: a token has one spelling. */
export function decodeBase32(text: string): Uint8Array | undefined {
  if (text.length % 8 !== 0) return undefined;
  const bytes = new Uint8Array((text.length * 5) / 8);
  let pending = 0;
  let bits = 0;
  let at = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return undefined;
    pending = ((pending << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (pending >> bits) & 0xff;
    }
  }
  return bytes;
}
