/**
 * How many event lines a flood may write. Up to a bound in each second every event is written;
 * past it one in a hundred stands for the rest, and the number left out is told. The bound is
 * one for all sources: nothing is memoize of any of them.
 */
const WINDOW_MS = 1_000;
const ONE_IN = 100;

export class Sampler {
  readonly #bound: number;
  readonly #now: () => number;
  #windowEndsMs = 0;
  #inWindow = 0;
  #leftOut = 0;

  constructor(bound: number, now: () => number) {
    this.#bound = bound;
    this.#now = now;
  }

  /** Whether to write this event. */
  admit(): boolean {
    const now = this.#now();
    if (now >= this.#windowEndsMs || now < this.#windowEndsMs - WINDOW_MS) {
      this.#windowEndsMs = now + WINDOW_MS;
      this.#inWindow = 0;
    }
    const past = ++this.#inWindow - this.#bound;
    if (past <= 0 || past % ONE_IN === 0) return true;
    this.#leftOut++;
    return false;
  }

  /** How many were left out since this was last asked. */
  takeLeftOut(): number {
    const count = this.#leftOut;
    this.#leftOut = 0;
    return count;
  }
}
