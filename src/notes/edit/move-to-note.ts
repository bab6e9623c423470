/**
 * `move_section` to another note: a section leaves one note and stands in another, and each has the
 * link definitions and footnotes that its text uses.
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
import { EditError } from '../text/edit-error.ts';
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
  /** What moves, before its line ends become those of its new note. */
  readonly section: Buffer;
  /** The line of its heading in the new note. */
  readonly line: number;
  readonly warnings: readonly string[];
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
): MovedSection {
  const heading = findHeading(source, from);
  const section = respelt ?? leavingBytes(source, heading, target);
  const written = section.toString('latin1');
  const content = written.replace(/(?:\r\n|\n|\r)$/, '').replace(/\r\n|\n|\r/g, target.eol);
  const inserted = insertion(target, heading, content, to);
  const taken = taking(source, heading);
  const inside = source.headings.filter((one) => isIn(heading, one));
  const put = keepingStructure(target, [inserted], target.headings.length + inside.length);
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

/** The section without the empty lines after it, and the definitions it shares with the rest. */
function leavingBytes(source: ParsedNote, section: Heading, target: ParsedNote): Buffer {
  const end = contentEnd(source, section.start, section.end);
  const bytes = source.bytes.subarray(section.start, end);
  const needed = neededFrom(source, bytes.toString('latin1'), (one) => !isIn(section, one));
  const missing = missingIn(target, source, needed);
  if (missing.length === 0) return bytes;
  return applyReplacements(bytes, adding(parseNote(bytes), source, missing));
}

/** Takes the section out, and keeps the definitions in it that the rest uses. */
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

/** Those that the target does not have word for word; a link in one may lead elsewhere from there. */
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
  throw new EditError(
    'invalid_arguments',
    `a section of level ${section.level} cannot be placed in one of level ${beside.level}; give a \`to\` of the same or a higher level`,
  );
}
