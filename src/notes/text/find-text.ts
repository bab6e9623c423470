/** Finds text in a note, treating all line ends as equal. Offsets are those of the note. */
import { FoldedLines } from './folded-lines.ts';
import { toLatin1 } from './utf8.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
}

export class FindText {
  readonly #lines: FoldedLines;

  /** `latin1` is the note with one character per byte. */
  constructor(latin1: string) {
    this.#lines = new FoldedLines(latin1);
  }

  /** The first `most` occurrences from left to right, without overlaps. */
  all(wanted: string, most = Number.POSITIVE_INFINITY): Found[] {
    const { text } = this.#lines;
    const needle = toLatin1(wanted.replace(/\r\n?/g, '\n'));
    const found: Found[] = [];
    for (let at = text.indexOf(needle); at !== -1 && found.length < most; ) {
      const end = at + needle.length;
      found.push({ start: this.#lines.offset(at), end: this.#lines.offset(end) });
      at = text.indexOf(needle, end);
    }
    return found;
  }

  /** Whether the text occurs exactly once, counting overlapping occurrences. */
  isOnce(wanted: string): boolean {
    const needle = toLatin1(wanted.replace(/\r\n?/g, '\n'));
    const { text } = this.#lines;
    const first = text.indexOf(needle);
    return first !== -1 && text.indexOf(needle, first + 1) === -1;
  }
}
