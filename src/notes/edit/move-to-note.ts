/**
 * `move_section` to another note. Each note keeps or receives the link definitions and footnotes
 * that its text uses.
 */

import {
  type Definition,
  definitionsOf,
  neededFrom,
  sharedLabels,
} from '../markdown/definitions.ts';
import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { invalidArguments } from '../text/edit-error.ts';
import { firstAtOrAfter } from '../text/lines.ts';
import { applyReplacements, EditSequence, type Replacement } from '../text/replacements.ts';
import { addDefinitions } from './add-definitions.ts';
import { deletion } from './delete-section.ts';
import { appendToNote, contentEnd, insertBlock } from './insert-block.ts';
import { keepingStructure } from './keeps-structure.ts';
import type { MoveTarget } from './move-section.ts';

export interface MovedSection {
  readonly taken: readonly Replacement[];
  readonly put: readonly Replacement[];
  /** The moved text, with its original line ends. */
  readonly section: Buffer;
  /** The line of its heading in the new note. */
  readonly line: number;
  readonly warnings: readonly string[];
}

/**
 * Moves a section with its subsections to the end of the target, or before or to the end of the
 * section named by `to`. `respelt` is the section with rewritten links. Levels are unchanged.
 */
export function moveToNote(
  source: ParsedNote,
  from: HeadingAddress,
  target: ParsedNote,
  to: MoveTarget,
  respelt?: Buffer,
): MovedSection {
  const heading = findHeading(source, from);
  const section = respelt ?? leavingBytes(source, heading, target);
  const written = section.toString('latin1');
  const content = written.replace(/(?:\r\n|\n|\r)$/, '').replace(/\r\n|\n|\r/g, target.eol);
  const inserted = insertion(target, heading, content, to);
  const taken = taking(source, heading);
  const moved = parseNote(section).headings;
  const put = keepingStructure(target, [inserted], [...target.headings, ...moved]);
  const before = inserted.bytes.subarray(0, inserted.bytes.indexOf(content, 0, 'latin1'));
  const above = target.latin1.slice(0, inserted.start) + before.toString('latin1');
  return {
    taken,
    put,
    section,
    line: above.split(/\r\n|\n|\r/).length,
    warnings: sharedLabels(parseNote(section), target),
  };
}

/** The section without trailing empty lines, with copies of the definitions it uses. */
function leavingBytes(source: ParsedNote, section: Heading, target: ParsedNote): Buffer {
  const end = contentEnd(source, section.start, section.end);
  const bytes = source.bytes.subarray(section.start, end);
  const needed = neededFrom(source, bytes.toString('latin1'), (one) => !isIn(section, one));
  const missing = missingIn(target, source, needed);
  if (missing.length === 0) return bytes;
  return applyReplacements(bytes, adding(parseNote(bytes), source, missing));
}

/** Deletes the section but keeps the definitions in it that the rest uses. */
function taking(source: ParsedNote, section: Heading): Replacement[] {
  const taken = keepingStructure(source, [deletion(source, section)]);
  const rest = source.latin1.slice(0, section.start) + source.latin1.slice(section.end);
  const needed = neededFrom(source, rest, (one) => isIn(section, one));
  if (needed.length === 0) return taken;
  const sequence = new EditSequence(source.bytes);
  sequence.make(taken);
  sequence.make(adding(parseNote(sequence.current), source, needed));
  return sequence.replacements();
}

function adding(
  note: ParsedNote,
  source: ParsedNote,
  definitions: readonly Definition[],
): Replacement[] {
  const texts = definitions.map(({ label, start, end }) => ({
    label,
    text: source.latin1.slice(start, end),
  }));
  return addDefinitions(note, texts);
}

/** Definitions that the target lacks, or whose links may resolve differently there. */
function missingIn(
  target: ParsedNote,
  source: ParsedNote,
  definitions: readonly Definition[],
): Definition[] {
  const known = new Set(
    definitionsOf(target).map(({ start, end }) => target.latin1.slice(start, end)),
  );
  const links = Uint32Array.from(source.links, ({ start }) => start).sort();
  return definitions.filter(({ start, end }) => {
    const holdsLink = (links[firstAtOrAfter(links, start)] ?? end) < end;
    return holdsLink || !known.has(source.latin1.slice(start, end));
  });
}

function isIn(section: Heading, { start }: { readonly start: number }): boolean {
  return start >= section.start && start < section.end;
}

function insertion(
  target: ParsedNote,
  section: Heading,
  content: string,
  { position, ...to }: MoveTarget,
): Replacement {
  if (Object.keys(to).length === 0) return appendToNote(target, content);
  const beside = findHeading(target, to);
  if (section.level >= beside.level) {
    return insertBlock(target, position === 'before' ? beside.start : beside.end, content);
  }
  throw invalidArguments(
    `a section of level ${section.level} cannot be placed in one of level ${beside.level}; give a \`to\` of the same or a higher level`,
  );
}
