/**
 * Finds text in a note whatever line ends the two have: a caller sees `\n` and the note may have
 * `\r\n`. All offsets are those of the note.
 */
import { firstAtOrAfter } from './lines.ts';
import { toLatin1 } from './utf8.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
}

export class FindText {
  readonly #text: string;
  /** Where, in the text with `\n` alone, a `\r` was left out before the character. */
  readonly #leftOut: Uint32Array;

  /** `latin1` is the note with one character a byte. */
  constructor(latin1: string) {
    if (!latin1.includes('\r')) {
      this.#text = latin1;
      this.#leftOut = new Uint32Array();
    } else {
      const leftOut: number[] = [];
      this.#text = latin1.replace(/\r\n?/g, (end, offset: number) => {
        if (end.length === 2) leftOut.push(offset - leftOut.length);
        return '\n';
      });
      this.#leftOut = Uint32Array.from(leftOut);
    }
  }

  /** Where the text stands, from left to right, without overlaps; the first so many. */
  all(wanted: string, most = Number.POSITIVE_INFINITY): Found[] {
    const needle = toLatin1(wanted.replace(/\r\n?/g, '\n'));
    const found: Found[] = [];
    for (let at = this.#text.indexOf(needle); at !== -1 && found.length < most; ) {
      found.push({ start: this.#offset(at), end: this.#offset(at + needle.length) });
      at = this.#text.indexOf(needle, at + needle.length);
    }
    return found;
  }

  /** Whether it stands in one place only, counting places that overlap. */
  isOnce(wanted: string): boolean {
    const needle = toLatin1(wanted.replace(/\r\n?/g, '\n'));
    const first = this.#text.indexOf(needle);
    return first !== -1 && this.#text.indexOf(needle, first + 1) === -1;
  }

  #offset(at: number): number {
    return at + firstAtOrAfter(this.#leftOut, at);
  }
}
