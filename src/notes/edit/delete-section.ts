import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { keptApart } from '../text/lines.ts';
import type { Replacement } from '../text/replacements.ts';
import { bodyStart, isAfterEmptyLine } from './insert-block.ts';

/** Deletes a section. An empty line is added only where a setext heading would absorb the text. */
export function deletion(note: ParsedNote, section: Heading): Replacement {
  const { start, end } = section;
  const next = note.headings.find((heading) => heading.start === end);
  const joins = next?.style === 'setext' && start > bodyStart(note);
  const apart = joins && !isAfterEmptyLine(note.latin1, start) ? note.eol : '';
  const put = keptApart(note.latin1, start, end, apart);
  return { start, end, bytes: Buffer.from(put, 'latin1') };
}
