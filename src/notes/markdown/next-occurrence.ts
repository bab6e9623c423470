/**
 * Where a string next occurs, asked for with rising offsets. The answer is kept until the offset
 * has passed it, so that a note full of openers without a closer is searched once, not once each.
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
