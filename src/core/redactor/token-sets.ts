/**
 * At positions of a text, the sets of tokens of a value that a reading of the text has come to.
 *
 * One bit for each token: however many ways there are to read a row of signs, each place is read once
 * for 32 tokens. Positions must be less than `RING` apart.
 */
const RING = 128;

export class TokenSets {
  readonly #words: number;
  readonly #bits: Int32Array;
  /** By position, the first and the last word that may be not 0. */
  readonly #low = new Int32Array(RING);
  readonly #high = new Int32Array(RING);
  /** What was taken up: from the first word to the last. */
  readonly #taken: Int32Array;
  #first = 0;
  #last = -1;

  constructor(tokens: number) {
    this.#words = wordsOf(tokens);
    this.#bits = new Int32Array(RING * this.#words);
    this.#taken = new Int32Array(this.#words + 1);
    this.#low.fill(this.#words);
    this.#high.fill(-1);
  }

  isEmpty(position: number): boolean {
    return this.#high[position & (RING - 1)]! < 0;
  }

  has(position: number, token: number): boolean {
    const word = (position & (RING - 1)) * this.#words + (token >>> 5);
    return (this.#bits[word]! & (1 << (token & 31))) !== 0;
  }

  add(position: number, token: number): void {
    const slot = position & (RING - 1);
    const word = token >>> 5;
    this.#bits[slot * this.#words + word]! |= 1 << (token & 31);
    this.#widen(slot, word, word);
  }

  /** Takes up the tokens behind those of a mask. Returns whether there are any. */
  takeNext(position: number, mask: Int32Array): boolean {
    const bits = this.#bits;
    const taken = this.#taken;
    const slot = position & (RING - 1);
    const source = slot * this.#words;
    const high = this.#high[slot]!;
    let carried = 0;
    let word = this.#low[slot]!;
    this.#first = word;
    for (; word <= high; word++) {
      const moved = bits[source + word]! & mask[word]!;
      taken[word] = (moved << 1) | carried;
      carried = moved >>> 31;
    }
    taken[word] = carried;
    this.#last = word;
    return this.#trim();
  }

  /**
   * Takes up the tokens of a mask that have one behind at a position from `from` to `to`. Returns whether
   * there are any.
   */
  takePrevious(from: number, to: number, mask: Int32Array): boolean {
    const bits = this.#bits;
    const taken = this.#taken;
    let low = this.#words;
    let high = -1;
    for (let position = from; position <= to; position++) {
      const slot = position & (RING - 1);
      const end = this.#high[slot]!;
      if (end < 0) continue;
      const begin = this.#low[slot]!;
      const source = slot * this.#words;
      if (high < 0) {
        for (let word = begin; word <= end; word++) taken[word] = bits[source + word]!;
        low = begin;
        high = end;
        continue;
      }
      while (low > begin) taken[--low] = 0;
      while (high < end) taken[++high] = 0;
      for (let word = begin; word <= end; word++) taken[word]! |= bits[source + word]!;
    }
    if (high < 0) return false;
    if (low > 0) taken[--low] = 0;
    let carried = 0;
    for (let word = high; word >= low; word--) {
      const here = taken[word]!;
      taken[word] = ((here >>> 1) | carried) & mask[word]!;
      carried = here << 31;
    }
    this.#first = low;
    this.#last = high;
    return this.#trim();
  }

  /** Adds what was taken up. */
  put(position: number): void {
    const bits = this.#bits;
    const taken = this.#taken;
    const slot = position & (RING - 1);
    const goal = slot * this.#words;
    const first = this.#first;
    const last = this.#last;
    for (let word = first; word <= last; word++) bits[goal + word]! |= taken[word]!;
    this.#widen(slot, first, last);
  }

  clear(position: number): void {
    const slot = position & (RING - 1);
    const first = slot * this.#words;
    const high = this.#high[slot]!;
    // Ten times as fast as `fill` where there are few words.
    for (let word = this.#low[slot]!; word <= high; word++) this.#bits[first + word] = 0;
    this.#low[slot] = this.#words;
    this.#high[slot] = -1;
  }

  #trim(): boolean {
    while (this.#first <= this.#last && this.#taken[this.#first] === 0) this.#first++;
    while (this.#first <= this.#last && this.#taken[this.#last] === 0) this.#last--;
    return this.#first <= this.#last;
  }

  #widen(slot: number, low: number, high: number): void {
    if (low < this.#low[slot]!) this.#low[slot] = low;
    if (high > this.#high[slot]!) this.#high[slot] = high;
  }
}

/** The set of these tokens. */
export function maskOf(tokens: number, isIn: (token: number) => boolean): Int32Array {
  const mask = new Int32Array(wordsOf(tokens));
  for (let token = 0; token < tokens; token++) {
    if (isIn(token)) mask[token >>> 5]! |= 1 << (token & 31);
  }
  return mask;
}

/** One more than there are tokens is the end of the value. */
const wordsOf = (tokens: number): number => (tokens >>> 5) + 1;
