/**
 * `note_split`: turns a section into a note, byte for byte, and replaces it by a link. Shared
 * definitions are copied, and links in it and to it are updated.
 */
import { DEFAULT_LINK_STYLE, type LinkStyle, newLink } from '../links/new-link.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import { anchorFor, blockAnchors, HeadingNames } from '../markdown/anchor.ts';
import { type Definition, neededFrom } from '../markdown/definitions.ts';
import { findHeading } from '../markdown/find-heading.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { Heading, LinkKind, ParsedNote } from '../markdown/parsed-note.ts';
import { keptApart } from '../text/lines.ts';
import { applyReplacements, EditSequence, type Replacement } from '../text/replacements.ts';
import { toLatin1 } from '../text/utf8.ts';
import { type AddedDefinition, addDefinitions } from './add-definitions.ts';
import { deletion } from './delete-section.ts';
import { bodyStart, contentEnd, isAfterEmptyLine } from './insert-block.ts';
import { keepingStructure } from './keeps-structure.ts';
import type { PlacedNote } from './merge.ts';

export interface SplitLinks extends Pick<LinkChange, 'resolve' | 'isUnique'> {
  /** The file that a link in the note at `from` leads to after the split. */
  leadsTo?(from: string, kind: LinkKind, target: string): string | undefined;
}

/** A section that becomes a note, as data for a worker thread. */
export interface SectionCut {
  /** The line of its heading. */
  readonly line: number;
  /** The path of the new note, and whether its bare name is unique. */
  readonly to: string;
  readonly isUnique: boolean;
  /** Of the link that replaces the section. */
  readonly style?: LinkStyle;
  /** All links of the note, rewritten for the old note and for the new note. */
  readonly staying: readonly Replacement[];
  readonly leaving: readonly Replacement[];
}

export interface Split {
  /** For the note that is split. */
  readonly replacements: Replacement[];
  readonly created: Buffer;
}

/** Rewrites the links of the note that will be in the note at `place`. */
export function splitChange(
  path: string,
  place: string,
  destination: LinkChange['destination'],
  { leadsTo, ...known }: SplitLinks,
): LinkChange {
  return {
    from: path,
    to: place,
    destination,
    keepsOtherNames: true,
    ...known,
    ...(leadsTo && { leadsTo: (kind, target) => leadsTo(place, kind, target) }),
  };
}

export function cutSection(source: PlacedNote, cut: SectionCut): Split {
  const { note } = source;
  const section = findHeading(note, { line: cut.line });
  const inside = ({ start }: { start: number }) => start >= section.start && start < section.end;
  const created = createdNote(note, section, cut.leaving);
  const sequence = new EditSequence(note.bytes);
  sequence.make(
    keepingStructure(note, [
      ...cut.staying.filter((replacement) => !inside(replacement)),
      linkInPlaceOf(source, section, cut),
    ]),
  );
  const rest = note.latin1.slice(0, section.start) + note.latin1.slice(section.end);
  const needed = neededFrom(note, rest, inside);
  if (needed.length > 0) {
    const texts = mendedDefinitions(note, needed, cut.staying);
    sequence.make(addDefinitions(parseNote(sequence.current), texts));
  }
  return { replacements: sequence.replacements(), created };
}

/** Redirects links to headings and blocks of the section to the new note. */
export function splitDestination(
  note: ParsedNote,
  section: Heading,
  path: string,
  to: string,
): LinkChange['destination'] {
  const headings = new HeadingNames(note.headings);
  let blocks: ReadonlyMap<string, number> | undefined;
  const blockAt = (anchor: string): { start: number } | undefined => {
    if (!anchor.startsWith('^')) return undefined;
    blocks ??= blockAnchors(note.latin1);
    const start = blocks.get(anchor);
    return start === undefined ? undefined : { start };
  };
  const named = (anchor: string) => headings.find(anchor) ?? blockAt(anchor);
  return (file, anchor) => {
    if (file !== path || anchor === undefined) return undefined;
    const found = named(anchor);
    if (!found || found.start < section.start || found.start >= section.end) return undefined;
    const own = found === section;
    return { path: to, ...(anchor.includes('#') && own && { anchor: anchorFor(section.text) }) };
  };
}

function createdNote(note: ParsedNote, section: Heading, mended: readonly Replacement[]): Buffer {
  const end = contentEnd(note, section.start, section.end);
  const text = note.bytes.subarray(section.start, end);
  const isOutside = ({ start }: { start: number }) => start < section.start || start >= section.end;
  const shared = neededFrom(note, text.toString('latin1'), isOutside);
  const parts = [mendedPart(note, { start: section.start, end }, mended)];
  if (!/[\r\n]$/.test(text.toString('latin1', text.length - 1))) parts.push(Buffer.from(note.eol));
  const bytes = Buffer.concat(parts);
  if (shared.length === 0) return bytes;
  const added = addDefinitions(parseNote(bytes), mendedDefinitions(note, shared, mended));
  return applyReplacements(bytes, added);
}

function mendedDefinitions(
  note: ParsedNote,
  definitions: readonly Definition[],
  mended: readonly Replacement[],
): AddedDefinition[] {
  return definitions.map((one) => ({
    label: one.label,
    text: mendedPart(note, one, mended).toString('latin1'),
  }));
}

/** A part of the note with the replacements inside it applied. */
function mendedPart(
  note: ParsedNote,
  { start, end }: { readonly start: number; readonly end: number },
  mended: readonly Replacement[],
): Buffer {
  const within = mended
    .filter((one) => one.start >= start && one.end <= end)
    .map((one) => ({ ...one, start: one.start - start, end: one.end - start }));
  return applyReplacements(note.bytes.subarray(start, end), within);
}

function linkInPlaceOf(
  { note, path }: PlacedNote,
  section: Heading,
  { to, isUnique, style = DEFAULT_LINK_STYLE }: SectionCut,
): Replacement {
  const { start, end } = deletion(note, section);
  const link = newLink(style, { from: path, to, isUnique, label: section.text });
  const apart = start === bodyStart(note) || isAfterEmptyLine(note.latin1, start);
  const before = apart ? '' : note.eol;
  const after = end < note.bytes.length ? note.eol + note.eol : note.eol;
  const put = keptApart(note.latin1, start, end, before + toLatin1(link) + after);
  return { start, end, bytes: Buffer.from(put, 'latin1') };
}
