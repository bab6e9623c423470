/**
 * Moves a section to another note in one change and updates the links to it, from it and around it.
 */
import type { Transaction } from '../changes/change-types.ts';
import type { MoveTarget } from '../edit/move-section.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { movedSection, readNote } from '../large-notes/heavy-notes.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import { blockAnchors, HeadingNames } from '../markdown/anchor.ts';
import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import type { Taken } from '../tool-kit/find-note.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { readText } from '../tool-kit/note-path.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import {
  type LinkEdits,
  LinkMending,
  notesConcerned,
  unreadNotes,
  whenIndexed,
} from './mend-links.ts';
import { reported, type WriteArguments, type Written } from './write.ts';

export interface SectionMove {
  readonly from: Taken;
  readonly section: HeadingAddress;
  readonly to: Taken;
  readonly place: MoveTarget;
}

export interface WrittenMove extends Written {
  /** The other note after the move. */
  readonly moved_to: Pick<Written, 'path' | 'content_hash' | 'diff'>;
  readonly link_edits: LinkEdits;
}

export async function moveToOtherNote(
  open: OpenVault,
  move: SectionMove,
  args: WriteArguments,
): Promise<WrittenMove> {
  await whenIndexed(open);
  const request = {
    tool: 'note_section_edit',
    scope: 'vault' as const,
    dryRun: args.dry_run === true,
  };
  const change = await open.vault.changes.run(request, async (transaction) => {
    const source = await readText(open, transaction, move.from.path, args.content_hash);
    const target = await readText(open, transaction, move.to.path);
    const done = await moveSection(open, transaction, { source, target, move });
    return { source: source.path, target: target.path, ...done };
  });
  const { source, target, mending, clashes } = change.value;
  const there = await reported(open, target, change, [], true);
  const taken = [...move.from.warnings, ...move.to.warnings];
  const warnings = [
    ...taken,
    ...clashes,
    ...mending.warnings,
    ...unreadNotes(open),
    ...there.warnings,
  ];
  const { path, content_hash, diff } = there;
  return {
    ...(await reported(open, source, change, warnings, true)),
    moved_to: { path, content_hash, diff },
    link_edits: mending.edits,
  };
}

async function moveSection(
  open: OpenVault,
  transaction: Transaction,
  { source, target, move }: { source: StoredFile; target: StoredFile; move: SectionMove },
): Promise<{ readonly mending: LinkMending; readonly clashes: readonly string[] }> {
  const [from, to] = [await readNote(source.bytes), await readNote(target.bytes)];
  const heading = findHeading(from, move.section);
  // A draft gives the new names, which do not depend on the spelling of links.
  const request = { source: source.bytes, section: move.section, place: move.place };
  const draft = await movedSection({ ...request, target: target.bytes });
  const rest = await readNote(draft.rest);
  const filled = await readNote(draft.filled);
  const names = [...namesAt(source.path, rest), ...namesAt(target.path, filled)];
  const targets = new LinkTargets(open.index);
  targets.has(source.path, namesAt(source.path, rest));
  targets.has(target.path, namesAt(target.path, filled));
  await targets.load([
    { path: source.path, links: from.links },
    { path: target.path, links: to.links },
  ]);
  await targets.loadGiven();

  const leaves = leaving(from, heading, rest);
  const twins = sectionTwins(to, filled, draft.line, insideOf(from, heading).length);
  const destination: LinkChange['destination'] = (path, anchor) => {
    if (path === target.path) twins.linkToTarget(anchor);
    if (path !== source.path) return undefined;
    if (!leaves(anchor)) return { path: source.path };
    twins.linkToSection(anchor);
    return { path: target.path };
  };
  const mending = new LinkMending(transaction, { targets, destination });
  const stays = (path: VaultPath, note: ParsedNote) => mending.mended(note, { path, from: path });
  const ready = await stays(target.path, to);
  const respelt = await mending.mended(await readNote(draft.section), {
    path: target.path,
    from: source.path,
    firstLine: draft.line,
  });
  const moved = await movedSection({ ...request, target: ready, respelt });
  await transaction.write(source.path, await stays(source.path, rest));
  await transaction.write(target.path, moved.filled);
  const both: string[] = [source.path, target.path];
  const concerned = await notesConcerned(open, both, names);
  await mending.mendInPlace(concerned.filter((path) => !both.includes(path)));
  return { mending, clashes: [...moved.warnings, ...twins.warnings] };
}

/** Whether the target of an anchor moves with the section. */
function leaving(
  note: ParsedNote,
  section: Heading,
  rest: ParsedNote,
): (anchor: string | undefined) => anchor is string {
  const blocks = blockAnchors(note.latin1.slice(section.start, section.end));
  const inside = new HeadingNames(insideOf(note, section));
  const staying = new HeadingNames(rest.headings);
  return (anchor): anchor is string =>
    anchor !== undefined &&
    (anchor.startsWith('^')
      ? blocks.has(anchor)
      : inside.find(anchor) !== undefined && staying.find(anchor) === undefined);
}

function insideOf(note: ParsedNote, section: Heading): Heading[] {
  return note.headings.filter(({ start }) => start >= section.start && start < section.end);
}

/**
 * Warns of headings and block anchors that a moved section and its target note both have: a link to
 * either resolves to the first.
 */
function sectionTwins(before: ParsedNote, after: ParsedNote, line: number, headings: number) {
  const [anchorBefore, anchorAfter] = [anchorsOf(before), anchorsOf(after)];
  const first = after.headings.findIndex((heading) => heading.line === line);
  const start = after.headings[first]?.start ?? 0;
  const end = after.headings[first + headings]?.start ?? after.bytes.length;
  const isInSection = ({ at }: { readonly at: number }) => at >= start && at < end;
  const warnings = new Set<string>();
  const warn = (name: string) =>
    warnings.add(`both notes have the ${name}; links to it lead to the first`);
  return {
    warnings,
    linkToSection: (anchor: string) => {
      const there = anchorAfter(anchor);
      if (there && !isInSection(there)) warn(there.name);
    },
    linkToTarget: (anchor: string | undefined) => {
      if (anchor === undefined || anchorBefore(anchor) === undefined) return;
      const there = anchorAfter(anchor);
      if (there && isInSection(there)) warn(there.name);
    },
  };
}

type Anchors = (anchor: string) => { readonly at: number; readonly name: string } | undefined;

function anchorsOf(note: ParsedNote): Anchors {
  const blocks = blockAnchors(note.latin1);
  const headings = new HeadingNames(note.headings);
  return (anchor) => {
    const at = blocks.get(anchor);
    if (at !== undefined) return { at, name: `block "${anchor}"` };
    const heading = anchor.startsWith('^') ? undefined : headings.find(anchor);
    return heading && { at: heading.start, name: `heading "${heading.text}"` };
  };
}
