/**
 * Memoized `indexOf` for increasing offsets: a note full of openers without a closer is searched
 * once, not once per opener.
 */
export class NextOccurrence {
  readonly #text: string;
  readonly #needle: string;
  #known = -1;

  constructor(text: string, needle: string) {
    this.#text = text;
    this.#needle = needle;
  }

  /** The offset of the next occurrence at or after `from`, or the length of the text. */
  from(from: number): number {
    if (this.#known < from) {
      const found = this.#text.indexOf(this.#needle, from);
      this.#known = found === -1 ? this.#text.length : found;
    }
    return this.#known;
  }
}
