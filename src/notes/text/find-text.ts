/** Finds text in a note, treating all line ends as equal. Offsets are those of the note. */
import { FoldedLines } from './folded-lines.ts';
import { toLatin1 } from './utf8.ts';

export interface Found {
  readonly start: number;
  readonly end: number;
}

/** The first `most` occurrences from left to right. `latin1` has one character per byte. */
export function findText(
  latin1: string,
  wanted: string,
  most: number,
  mayOverlap = false,
): Found[] {
  const lines = new FoldedLines(latin1);
  const needle = toLatin1(wanted.replace(/\r\n?/g, '\n'));
  const found: Found[] = [];
  for (let at = lines.text.indexOf(needle); at !== -1 && found.length < most; ) {
    const end = at + needle.length;
    found.push({ start: lines.offset(at), end: lines.offset(end) });
    at = lines.text.indexOf(needle, mayOverlap ? at + 1 : end);
  }
  return found;
}
