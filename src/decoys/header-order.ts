/**
 * A fingerprint of a client: a hash of the header names in their order and letter case, which differ
 * between tools even with a forged user agent. FNV-1a with two seeds; it need not resist forgery.
 */
const PRIME = 0x01000193;

export function headerOrder(rawHeaders: readonly string[]): string {
  let first = 0x811c9dc5;
  let second = 0x9dc5811c;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    for (let index = 0; index < name.length; index++) {
      const code = name.charCodeAt(index);
      first = Math.imul(first ^ code, PRIME);
      second = Math.imul(second ^ code, PRIME);
    }
    first = Math.imul(first ^ 0x2c, PRIME);
    second = Math.imul(second ^ 0x2c, PRIME);
  }
  return hex(first) + hex(second);
}

function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, '0');
}
