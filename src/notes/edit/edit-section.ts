/** `note_section_edit`: edits one section of a note, or its beginning or end. */

import { findHeading, findHeadingIfAny, type HeadingAddress } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { invalidArguments } from '../text/edit-error.ts';
import { keptApart } from '../text/lines.ts';
import { applyReplacements, type Replacement } from '../text/replacements.ts';
import { foldName, toLatin1 } from '../text/utf8.ts';
import { deletion } from './delete-section.ts';
import {
  appendPlace,
  appendToNote,
  blockOf,
  bodyStart,
  contentEnd,
  contentStart,
  insertBlock,
  isAfterEmptyLine,
} from './insert-block.ts';
import { keepingStructure, type Outlined } from './keeps-structure.ts';
import { type MoveTarget, moveSection } from './move-section.ts';

export const SECTION_MODES = [
  'append_to_section',
  'prepend_to_section',
  'replace_section',
  'insert_before_section',
  'insert_after_section',
  'delete_section',
  'append_to_note',
  'prepend_to_note',
  'rename_heading',
  'move_section',
] as const;

export type SectionMode = (typeof SECTION_MODES)[number];

export interface SectionEdit extends HeadingAddress {
  readonly mode: SectionMode;
  readonly content?: string;
  /** Creates the heading if it does not exist. */
  readonly create?: boolean;
  /** The new text of a heading, or the target of a move; a string names a heading to move below. */
  readonly to?: string | MoveTarget;
}

export function editSection(note: ParsedNote, edit: SectionEdit): Replacement[] {
  const made = planEdit(note, edit);
  // `renameHeading` checks the other headings itself.
  if (edit.mode === 'rename_heading') return made;
  return keepingStructure(note, made, headingsThen(note, edit, made));
}

/** The expected headings after the edit; undefined if `create` adds some. */
function headingsThen(
  note: ParsedNote,
  edit: SectionEdit,
  made: readonly Replacement[],
): readonly Outlined[] | undefined {
  if (edit.mode === 'move_section') return note.headings;
  const content = edit.mode === 'delete_section' ? '' : (edit.content ?? '');
  if (edit.create && findHeadingIfAny(note, edit) === undefined) return undefined;
  const left = note.headings.filter(
    ({ start }) => !made.some((replaced) => start >= replaced.start && start < replaced.end),
  );
  // The empty line keeps a leading `---` from opening a frontmatter.
  return [...left, ...parseNote(Buffer.from(`\n${content}`)).headings];
}

function planEdit(note: ParsedNote, edit: SectionEdit): Replacement[] {
  const content = blockOf(edit.content ?? '', note.eol);
  const writes = !['delete_section', 'rename_heading', 'move_section'].includes(edit.mode);
  if (
    writes &&
    (edit.content === undefined || (content === '' && edit.mode !== 'replace_section'))
  ) {
    throw invalidArguments('content is empty; give the Markdown to put in');
  }
  if (edit.mode === 'append_to_note') return [appendToNote(note, content)];
  if (edit.mode === 'prepend_to_note') return [insertBlock(note, bodyStart(note), content)];
  const mayCreate = edit.create && writes && edit.line === undefined;
  const heading = mayCreate ? findHeadingIfAny(note, edit) : findHeading(note, edit);
  if (heading === undefined) return [createSection(note, edit, content)];
  switch (edit.mode) {
    case 'append_to_section':
      return [appendToSection(note, heading, content)];
    case 'prepend_to_section':
      return [prepend(note, heading, content)];
    case 'replace_section':
      return replaceSection(note, heading, content);
    case 'insert_before_section':
      return [insertBlock(note, heading.start, content)];
    case 'insert_after_section':
      return [insertBlock(note, heading.end, content)];
    case 'delete_section':
      return [deletion(note, heading)];
    case 'rename_heading':
      return renameHeading(note, heading, typeof edit.to === 'string' ? edit.to : edit.content);
    case 'move_section':
      return moveSection(note, heading, edit.to);
  }
}

function appendToSection(note: ParsedNote, heading: Heading, content: string): Replacement {
  const place = appendPlace(note, heading.contentStart, heading.end, content);
  return insertBlock(note, place, content);
}

function prepend(note: ParsedNote, heading: Heading, content: string): Replacement {
  const first = contentStart(note, heading.contentStart, heading.end);
  return insertBlock(note, first === heading.end ? heading.contentStart : first, content);
}

function replaceSection(note: ParsedNote, heading: Heading, content: string): Replacement[] {
  const own = parseNote(Buffer.from(content, 'latin1')).headings[0];
  const withHeading = own?.line === 1 && own.level === heading.level;
  const first = contentStart(note, heading.contentStart, heading.end);
  if (first === heading.end && !withHeading) {
    return content === '' ? [] : [insertBlock(note, heading.contentStart, content)];
  }
  const end = contentEnd(note, heading.start, heading.end);
  const start = withHeading ? heading.start : first;
  const { latin1, eol } = note;
  const ended = /[\r\n]/.test(latin1[end - 1]!);
  const close = content === '' || !ended ? '' : eol;
  const gap = content !== '' && end === heading.end && end < latin1.length ? eol : '';
  // A setext heading would absorb the line before it.
  const joins = withHeading && own.style === 'setext' && start > bodyStart(note);
  const apart = joins && !isAfterEmptyLine(latin1, start) ? eol : '';
  const put = keptApart(latin1, start, end, apart + content + close + gap);
  return [{ start, end, bytes: Buffer.from(put, 'latin1') }];
}

/** Replaces the text of a heading; its level, marks and underline are unchanged. */
function renameHeading(
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
  throw invalidArguments(
    'the new heading must be one line that Markdown parses as plain text; give it in `to`',
  );
}

/**
 * Creates the missing headings of a heading path, with the content below them, at the end of the
 * last section of the path that exists. A heading given by name alone is created at the end of the
 * note, at level 2.
 */
function createSection(
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
    throw invalidArguments(
      'the heading is not valid Markdown; give one line of text, at most six levels deep',
    );
  }
  const block = [...lines.map(toLatin1), content].join(note.eol + note.eol);
  const end = note.bytes.length;
  const place = above ? appendPlace(note, above.contentStart, above.end, block) : end;
  return insertBlock(note, place, block);
}
