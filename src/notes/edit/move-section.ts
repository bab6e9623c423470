import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { invalidArguments } from '../text/edit-error.ts';
import type { Replacement } from '../text/replacements.ts';
import { deletion } from './delete-section.ts';
import { contentEnd, insertBlock } from './insert-block.ts';

/** The target of a move: the end of a section, or before it. */
export interface MoveTarget extends HeadingAddress {
  readonly position?: 'before' | 'after';
}

/** Moves a section with its subsections within the note; bytes and levels are unchanged. */
export function moveSection(
  note: ParsedNote,
  section: Heading,
  to: string | MoveTarget | undefined,
): Replacement[] {
  if (to === undefined || to === '') {
    throw invalidArguments('`to` is missing; give the heading to move the section below');
  }
  const target = findHeading(note, typeof to === 'string' ? { heading: to } : to);
  if (target.start >= section.start && target.start < section.end) {
    throw invalidArguments('a section cannot move into itself; give another `to`');
  }
  if (section.level < target.level) {
    throw invalidArguments(
      `a section of level ${section.level} cannot be placed in one of level ${target.level}; give a \`to\` of the same or a higher level`,
    );
  }
  const before = typeof to !== 'string' && to.position === 'before';
  const place = before ? target.start : target.end;
  if (place === section.start || place === section.end) return [];
  const end = contentEnd(note, section.start, section.end);
  const content = note.latin1.slice(section.start, end).replace(/(?:\r\n|\n|\r)$/, '');
  return [deletion(note, section), insertBlock(note, place, content)];
}
