import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements, type Replacement } from '../text/replacements.ts';

/** Replaces the text of a heading; its level, marks and underline are unchanged. */
export function renameHeading(
  note: ParsedNote,
  heading: Heading,
  newText: string | undefined,
): Replacement[] {
  const text = newText?.trim() ?? '';
  const { textStart: start, textEnd: end } = heading;
  const space = start === end && note.latin1[start - 1] === '#' ? ' ' : '';
  const replacement = { start, end, bytes: Buffer.from(space + text) };
  const edited = parseNote(applyReplacements(note.bytes, [replacement])).headings;
  const sound =
    text !== '' &&
    edited.length === note.headings.length &&
    note.headings.every((before, index) => {
      const after = edited[index]!;
      const expected = before === heading ? text : before.text;
      return (
        after.text === expected && after.level === before.level && after.style === before.style
      );
    });
  if (sound) return [replacement];
  throw new EditError(
    'invalid_arguments',
    'the new heading must be one line that Markdown parses as plain text; give it in `to`',
  );
}
