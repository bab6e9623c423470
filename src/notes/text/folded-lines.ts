/** A text in which every line end is `\n`, and where its characters stand in the text itself. */
import { firstAtOrAfter } from './lines.ts';

export class FoldedLines {
  readonly text: string;
  /** Where, in the text with `\n` alone, a `\r` was left out before the character. */
  readonly #leftOut: Uint32Array;

  constructor(text: string) {
    if (!text.includes('\r')) {
      this.text = text;
      this.#leftOut = new Uint32Array();
    } else {
      const leftOut: number[] = [];
      this.text = text.replace(/\r\n?/g, (end, offset: number) => {
        if (end.length === 2) leftOut.push(offset - leftOut.length);
        return '\n';
      });
      this.#leftOut = Uint32Array.from(leftOut);
    }
  }

  /** The offset, in the text itself, of what stands at `at`. */
  offset(at: number): number {
    return at + firstAtOrAfter(this.#leftOut, at);
  }
}
