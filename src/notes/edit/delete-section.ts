import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { keptApart } from '../text/lines.ts';
import type { Replacement } from '../text/replacements.ts';
import { bodyStart, isAfterEmptyLine } from './insert-block.ts';

/** Deletes a section and keeps the text before it apart from the heading after it. */
export function deletion(note: ParsedNote, section: Heading): Replacement {
  const { start, end } = section;
  const apart =
    start === bodyStart(note) || end === note.bytes.length || isAfterEmptyLine(note.latin1, start);
  const put = keptApart(note.latin1, start, end, apart ? '' : note.eol);
  return { start, end, bytes: Buffer.from(put, 'latin1') };
}
