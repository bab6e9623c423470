/**
 * Finds positions where a pattern may begin, by looking at few of the bytes.
 *
 * Every pattern has at least `stride + 3` bytes, and the four bytes at each of its first `stride` offsets
 * are in a hash table. So one of the positions that are `stride` apart hits the table wherever a pattern
 * occurs. Hits may be false; misses never are.
 */
const LOOK = 4;
const MAX_STRIDE = 12;
/** Keys per pattern offset, so that few hits are false. */
const ROOM = 16;
const MAX_KEY_BITS = 20;
/** A table of this size fits into the L1 cache. */
const MIN_KEY_BITS = 14;
const OFFSET = 0x0f;
const MARK = 0xf0;
/** A hit is confirmed by this many bytes, where every pattern that it may belong to has them. */
const CONFIRM = 8;

export class Filter {
  readonly stride: number;
  /**
   * By key: 0, or 1 + the greatest offset at which a pattern has it, and in the upper bits a mark of the
   * four bytes, which avoids false hits on the key. Without a mark where several bytes share a key.
   */
  readonly #table: Uint8Array;
  readonly #shift: number;
  /** 1 for the hash of eight bytes of a pattern. Halves the time that JSON takes. */
  readonly #confirmed: Uint8Array;
  /** 1 for a key of a pattern that ends before eight bytes can confirm it. */
  readonly #isShort: Uint8Array;

  constructor(patterns: readonly Uint8Array[]) {
    const shortest = patterns.reduce((least, { length }) => Math.min(least, length), Infinity);
    this.stride = Math.min(MAX_STRIDE, shortest - LOOK + 1);
    const wanted = Math.ceil(Math.log2(1 + patterns.length * this.stride * ROOM));
    const keyBits = Math.min(MAX_KEY_BITS, Math.max(MIN_KEY_BITS, wanted));
    this.#shift = 32 - keyBits;
    this.#table = new Uint8Array(1 << keyBits);
    this.#confirmed = new Uint8Array(1 << keyBits);
    this.#isShort = new Uint8Array(1 << keyBits);
    for (const pattern of patterns) {
      const view = viewOf(pattern);
      for (let offset = 0; offset < this.stride; offset++) {
        const hash = hashAt(view, offset);
        this.#add(hash, offset + 1);
        if (offset + CONFIRM > pattern.length) this.#isShort[hash >>> this.#shift] = 1;
        else this.#confirmed[longHashAt(view, offset) >>> this.#shift] = 1;
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
    const lastGroup = last - 2 * stride;
    let at = from + stride - 1;
    while (at <= last) {
      // Few places have an entry, so several are looked at together.
      while (
        at < lastGroup &&
        (table[hashAt(view, at) >>> shift]! |
          table[hashAt(view, at + stride) >>> shift]! |
          table[hashAt(view, at + 2 * stride) >>> shift]!) ===
          0
      ) {
        at += 3 * stride;
      }
      if (at > last) break;
      const hash = hashAt(view, at);
      const entry = table[hash >>> shift]!;
      if (entry !== 0 && (entry <= OFFSET || (entry & MARK) === markOf(hash, shift))) {
        if (at + CONFIRM > to || this.#isShort[hash >>> shift] === 1) break;
        if (this.#confirmed[longHashAt(view, at) >>> shift] === 1) break;
      }
      at += stride;
    }
    return at;
  }

  /** Whether `next` returned a hit. */
  isHit(at: number, to: number): boolean {
    return at <= to - LOOK;
  }

  /** The earliest beginning of a pattern that a hit can belong to. */
  beginning(view: DataView, at: number): number {
    return at + 1 - (this.#table[hashAt(view, at) >>> this.#shift]! & OFFSET);
  }

  #add(hash: number, offset: number): void {
    const key = hash >>> this.#shift;
    const entry = this.#table[key]!;
    const mark = markOf(hash, this.#shift);
    const shared = entry === 0 || (entry & MARK) === mark ? mark : 0;
    this.#table[key] = shared | Math.max(entry & OFFSET, offset);
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Case is folded roughly: what is equal when folded has an equal hash. */
function hashAt(view: DataView, at: number): number {
  return Math.imul(foldedWord(view, at), 0x9e3779b1);
}

function longHashAt(view: DataView, at: number): number {
  return Math.imul(
    Math.imul(foldedWord(view, at), 0x85ebca6b) ^ foldedWord(view, at + LOOK),
    0xc2b2ae35,
  );
}

/** Four bytes as a number, case folded roughly. */
function foldedWord(view: DataView, at: number): number {
  return view.getInt32(at, true) | 0x20202020;
}

/** The four bits below those of the key, as a mark that is not 0. */
function markOf(hash: number, shift: number): number {
  return ((hash >>> (shift - 4)) << 4) & MARK || MARK;
}
