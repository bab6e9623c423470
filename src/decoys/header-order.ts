/**
 * A hash of the names of a request's headers, as they were written and in their order: tools
 * differ in it even where they lie about their agent. FNV-1a, twice with different beginnings;
 * nothing depends on its being hard to forge.
 */
const PRIME = 0x01000193;
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

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
  const high = BYTES[number >>> 24]! + BYTES[(number >>> 16) & 255]!;
  return high + BYTES[(number >>> 8) & 255]! + BYTES[number & 255]!;
}
