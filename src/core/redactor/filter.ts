/**
 * Finds places where a pattern may stand, looking at few of the bytes.
 *
 * Every pattern has at least `stride + 3` bytes, and the four bytes at each of its first
 * `stride` offsets are in the table. So of the positions that are `stride` apart, one falls
 * onto such four bytes of any pattern that stands there. A hit means little; no hit proves
 * that there is nothing.
 */
const LOOK = 4;
const TABLE_BITS = 16;
const MAX_STRIDE = 8;

/** Case is folded roughly: what is equal when folded has an equal key. */
function keyAt(bytes: Uint8Array, at: number): number {
  const four = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return Math.imul(four | 0x20202020, 0x9e3779b1) >>> (32 - TABLE_BITS);
}

export class Filter {
  readonly stride: number;
  /** For a key 0, or 1 + the greatest offset at which a pattern has it. */
  readonly #table = new Uint8Array(1 << TABLE_BITS);

  constructor(patterns: readonly Uint8Array[]) {
    const shortest = patterns.reduce((least, { length }) => Math.min(least, length), Infinity);
    this.stride = Math.min(MAX_STRIDE, shortest - LOOK + 1);
    for (const pattern of patterns) {
      for (let offset = 0; offset < this.stride; offset++) {
        const key = keyAt(pattern, offset);
        this.#table[key] = Math.max(this.#table[key]!, offset + 1);
      }
    }
  }

  /**
   * Looks for patterns that begin at `from` or later. Returns the position of the first hit,
   * or the first position that was not looked at because the bytes end before `to`.
   */
  next(bytes: Uint8Array, from: number, to: number): number {
    const { stride } = this;
    const table = this.#table;
    const last = to - LOOK;
    let at = from + stride - 1;
    while (at <= last && table[keyAt(bytes, at)] === 0) at += stride;
    return at;
  }

  /** Whether `next` returned a hit. */
  isHit(at: number, to: number): boolean {
    return at <= to - LOOK;
  }

  /** The earliest beginning of a pattern that a hit can belong to. */
  beginning(bytes: Uint8Array, at: number): number {
    return at + 1 - this.#table[keyAt(bytes, at)]!;
  }
}
