import { deletion } from './delete-section.ts';
import { EditError } from './edit-error.ts';
import { findHeading, type HeadingAddress } from './find-heading.ts';
import { appendToNote, contentEnd, insertBlock } from './insert-block.ts';
import { keepingStructure } from './keeps-structure.ts';
import type { MoveTarget } from './move-section.ts';
import type { Heading, ParsedNote } from './parsed-note.ts';
import type { Replacement } from './replacements.ts';

export interface MovedSection {
  readonly taken: readonly Replacement[];
  readonly put: readonly Replacement[];
}

/**
 * A section with all it holds leaves one note and stands in another: at its end, or before or at
 * the end of the section named there. Its bytes and levels stay, save where its links are spelt
 * anew in `respelt`; its line ends become those of its new note.
 */
export function moveToNote(
  source: ParsedNote,
  from: HeadingAddress,
  target: ParsedNote,
  to: MoveTarget,
  respelt?: Buffer,
): MovedSection | EditError {
  const section = findHeading(source, from);
  if (section instanceof EditError) return section;
  const bytes = sectionBytes(source, section);
  const end = section.start + bytes.length;
  const written = (respelt ?? bytes).toString('latin1');
  const content = written.replace(/(?:\r\n|\n|\r)$/, '').replace(/\r\n|\n|\r/g, target.eol);
  const inserted = insertion(target, section, content, to);
  if (inserted instanceof EditError) return inserted;
  const taken = keepingStructure(source, [deletion(source, section)]);
  if (taken instanceof EditError) return taken;
  const inside = source.headings.filter(({ start }) => start >= section.start && start < end);
  const put = keepingStructure(target, [inserted], target.headings.length + inside.length);
  return put instanceof EditError ? put : { taken, put };
}

/** What moves: the section without the empty lines after it. */
export function sectionBytes(note: ParsedNote, section: Heading): Buffer {
  return note.bytes.subarray(section.start, contentEnd(note, section.start, section.end));
}

function insertion(
  target: ParsedNote,
  section: Heading,
  content: string,
  { position, ...to }: MoveTarget,
): Replacement | EditError {
  if (Object.keys(to).length === 0) return appendToNote(target, content);
  const beside = findHeading(target, to);
  if (beside instanceof EditError) return beside;
  if (section.level >= beside.level) {
    return insertBlock(target, position === 'before' ? beside.start : beside.end, content);
  }
  return new EditError(
    'invalid_arguments',
    `a section of level ${section.level} cannot stand in one of level ${beside.level}; give a to of its own level or higher`,
  );
}
