/**
 * Limits the event lines of a flood: up to a bound per second every event is written, above it one in
 * a hundred, and the number of dropped events is reported. The bound is global, so that no state is
 * kept per source.
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

  /** The number of dropped events since the last call. */
  takeLeftOut(): number {
    const count = this.#leftOut;
    this.#leftOut = 0;
    return count;
  }
}
