import { findHeadingIfAny, type HeadingAddress } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import type { Replacement } from '../text/replacements.ts';
import { foldName, toLatin1 } from '../text/utf8.ts';
import { appendPlace, insertBlock } from './insert-block.ts';

/**
 * Creates the missing headings of a heading path, with the content below them, at the end of the
 * last section of the path that exists. A heading given by name alone is created at the end of the
 * note, at level 2.
 */
export function createSection(
  note: ParsedNote,
  { heading, heading_path }: HeadingAddress,
  content: string,
): Replacement {
  const path = heading_path ?? [heading!];
  let above: Heading | undefined;
  let depth = 0;
  for (; heading_path && depth < path.length - 1; depth++) {
    const found = findHeadingIfAny(note, { heading_path: path.slice(0, depth + 1) });
    if (found === undefined) break;
    above = found;
  }
  const level = above ? above.level + 1 : heading_path ? 1 : 2;
  const lines = path.slice(depth).map((name, at) => `${'#'.repeat(level + at)} ${name.trim()}`);
  const made = parseNote(Buffer.from(lines.join('\n'))).headings.map(({ text }) => foldName(text));
  const wanted = path.slice(depth).map((name) => foldName(name.trim()));
  if (made.join('\n') !== wanted.join('\n')) {
    throw new EditError(
      'invalid_arguments',
      'the heading is not valid Markdown; give one line of text, at most six levels deep',
    );
  }
  const block = [...lines.map(toLatin1), content].join(note.eol + note.eol);
  const end = note.bytes.length;
  const place = above ? appendPlace(note, above.contentStart, above.end, block) : end;
  return insertBlock(note, place, block);
}
