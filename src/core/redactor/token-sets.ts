/**
 * At positions of a text, the sets of tokens of a value that a reading of the text has come to.
 *
 * One bit for each token: however many ways there are to read a row of signs, each place is read once
 * for 32 tokens. Positions must be less than `RING` apart.
 */
const RING = 256;

export class TokenSets {
  readonly #words: number;
  readonly #bits: Int32Array;
  /** By position, the first and the last word that is not 0. */
  readonly #low = new Int32Array(RING);
  readonly #high = new Int32Array(RING);

  constructor(tokens: number) {
    this.#words = wordsOf(tokens);
    this.#bits = new Int32Array(RING * this.#words);
    this.#low.fill(this.#words);
    this.#high.fill(-1);
  }

  low(position: number): number {
    return this.#low[position & (RING - 1)]!;
  }

  high(position: number): number {
    return this.#high[position & (RING - 1)]!;
  }

  /** The tokens from `32 * word` on. */
  at(position: number, word: number): number {
    return this.#bits[(position & (RING - 1)) * this.#words + word]!;
  }

  add(position: number, token: number): void {
    this.#addBits(position, token >>> 5, 1 << (token & 31));
  }

  /** Adds the tokens that follow these. */
  addFollowing(position: number, word: number, bits: number): void {
    this.#addBits(position, word, bits << 1);
    if (bits < 0) this.#addBits(position, word + 1, 1);
  }

  /** Adds the tokens of a mask that are followed by one at `next`. */
  addPreceding(position: number, next: number, mask: Int32Array): void {
    const high = this.high(next);
    for (let word = Math.max(0, this.low(next) - 1); word <= high; word++) {
      const carried = word < high ? this.at(next, word + 1) << 31 : 0;
      this.#addBits(position, word, ((this.at(next, word) >>> 1) | carried) & mask[word]!);
    }
  }

  clear(position: number): void {
    const slot = position & (RING - 1);
    if (this.#high[slot]! < 0) return;
    const first = slot * this.#words;
    this.#bits.fill(0, first + this.#low[slot]!, first + this.#high[slot]! + 1);
    this.#low[slot] = this.#words;
    this.#high[slot] = -1;
  }

  #addBits(position: number, word: number, bits: number): void {
    if (bits === 0) return;
    const slot = position & (RING - 1);
    this.#bits[slot * this.#words + word]! |= bits;
    if (word < this.#low[slot]!) this.#low[slot] = word;
    if (word > this.#high[slot]!) this.#high[slot] = word;
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
