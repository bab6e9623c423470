/** A text with every line end converted to `\n`, and a mapping back to the original offsets. */
import { firstAtOrAfter } from './lines.ts';

export class FoldedLines {
  readonly text: string;
  /** Offsets in the converted text before which a `\r` was removed. */
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

  /** The original offset of the character at `at`. */
  offset(at: number): number {
    return at + firstAtOrAfter(this.#leftOut, at);
  }
}
