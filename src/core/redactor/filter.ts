/**
 * Finds places where a pattern may stand, looking at few of the bytes.
 *
 * Every pattern has at least `stride + 3` bytes, and the four bytes at each of its first
 * `stride` offsets are in the table. So of the positions that are `stride` apart, one falls
 * onto such four bytes of any pattern that stands there. A hit means little; no hit proves
 * that there is nothing.
 */
const LOOK = 4;
const MAX_STRIDE = 8;
/** Keys a pattern offset may have to itself, so that few hits are accidents. */
const ROOM = 16;
const MAX_KEY_BITS = 19;

export class Filter {
  readonly stride: number;
  /** For a key 0, or 1 + the greatest offset at which a pattern has it. */
  readonly #table: Uint8Array;
  readonly #shift: number;

  constructor(patterns: readonly Uint8Array[]) {
    const shortest = patterns.reduce((least, { length }) => Math.min(least, length), Infinity);
    this.stride = Math.min(MAX_STRIDE, shortest - LOOK + 1);
    const wanted = Math.ceil(Math.log2(1 + patterns.length * this.stride * ROOM));
    const keyBits = Math.min(MAX_KEY_BITS, wanted);
    this.#shift = 32 - keyBits;
    this.#table = new Uint8Array(1 << keyBits);
    for (const pattern of patterns) {
      const view = viewOf(pattern);
      for (let offset = 0; offset < this.stride; offset++) {
        const key = keyAt(view, offset, this.#shift);
        this.#table[key] = Math.max(this.#table[key]!, offset + 1);
      }
    }
  }

  /**
   * Looks for patterns that begin at `from` or later. Returns the position of the first hit,
   * or the first position that was not looked at because the bytes end before `to`.
   */
  next(view: DataView, from: number, to: number): number {
    const stride = this.stride;
    const shift = this.#shift;
    const table = this.#table;
    const last = to - LOOK;
    let at = from + stride - 1;
    while (at <= last && table[keyAt(view, at, shift)] === 0) at += stride;
    return at;
  }

  /** Whether `next` returned a hit. */
  isHit(at: number, to: number): boolean {
    return at <= to - LOOK;
  }

  /** The earliest beginning of a pattern that a hit can belong to. */
  beginning(view: DataView, at: number): number {
    return at + 1 - this.#table[keyAt(view, at, this.#shift)]!;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Case is folded roughly: what is equal when folded has an equal key. */
function keyAt(view: DataView, at: number, shift: number): number {
  return Math.imul(view.getInt32(at, true) | 0x20202020, 0x9e3779b1) >>> shift;
}
