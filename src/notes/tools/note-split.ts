/**
 * `note_split`: turns sections of a note into notes, byte for byte, replaces each by a link and
 * updates all links to them.
 */

import { posix } from 'node:path';
import { Type } from '../../mcp/schema.ts';
import type { Transaction } from '../changes/change-types.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { parseFolder, parseVaultPath, spellingKey, type VaultPath } from '../files/vault-path.ts';
import { readHabits } from '../habits/vault-habits.ts';
import type { FileName } from '../index/content/link-names.ts';
import { readNames, readNote } from '../large-notes/heavy-notes.ts';
import { findHeading, type HeadingAddress } from '../markdown/find-heading.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { EditError, invalidArguments } from '../text/edit-error.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { nameOfTitle } from '../tool-kit/name-of-title.ts';
import { notePath, readText } from '../tool-kit/note-path.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { LinkMending, notesConcerned, whenIndexed } from '../tool-writes/mend-links.ts';
import { splitInto } from '../tool-writes/split-into.ts';
import {
  CONTENT_HASH,
  DRY_RUN,
  HEADING_ADDRESS,
  NOTE_PATH,
  written,
} from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const noteSplit = defineNotesTool({
  name: 'note_split',
  title: 'Split a note',
  description:
    'Makes a note of every section of a level, or of one section, and leaves links in their place. Links to them are updated.',
  arguments: {
    path: NOTE_PATH,
    level: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
    ...HEADING_ADDRESS,
    to: Type.Optional(
      Type.String({
        maxLength: 1025,
        description: 'Folder, or with one section its path; beside the note when absent.',
      }),
    ),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async ({ path: asked, content_hash, dry_run = false, ...args }, { open, parts }) => {
    await whenIndexed(open);
    const { path, warnings } = await takeNote(open, asked, parts.now());
    const request = { tool: 'note_split', scope: 'vault' as const, dryRun: dry_run };
    const change = await open.vault.changes.run(request, async (transaction) => {
      const file = await readText(open, transaction, path, content_hash);
      return split(open, transaction, file, args);
    });
    const { spelt, created, mending } = change.value;
    return {
      ...written(open, spelt, change, [...warnings, ...mending.warnings]),
      created,
      link_edits: mending.edits,
    };
  },
});

async function split(
  open: OpenVault,
  transaction: Transaction,
  { path, bytes }: StoredFile,
  args: SplitArguments,
) {
  const source = { path, note: await readNote(bytes) };
  const cuts: { heading: Heading; to: VaultPath }[] = [];
  for (const { heading, path: wanted } of sectionsToSplit(path, source.note, args)) {
    const to = await transaction.create(inSpelledFolder(open.vault.root, wanted), Buffer.alloc(0));
    cuts.push({ heading, to });
  }

  const { links: style } = await readHabits(open.vault);
  const known = [{ path, links: source.note.links }];
  const asIs = new LinkTargets(open.index);
  await asIs.load(known);
  // A draft gives the names of the notes, which do not depend on the spelling of links.
  const draft = await splitInto(source, cuts, asIs, style);
  const targets = new LinkTargets(open.index);
  const names: FileName[] = [];
  for (const [place, text] of [[path, draft.rest] as const, ...draft.created]) {
    const given = namesAt(place, await readNames(text));
    targets.has(place, given);
    names.push(...given);
  }
  await targets.load(known);
  await targets.loadGiven();

  const { rest, created, destination } = await splitInto(source, cuts, targets, style);
  await transaction.write(path, rest);
  for (const { to } of cuts) await transaction.write(to, created.get(to)!);
  const concerned = await notesConcerned(open, [path], names);
  const mending = new LinkMending(transaction, { targets, destination });
  await mending.mendInPlace(concerned.filter((other) => other !== path));
  return {
    spelt: path,
    created: cuts.map(({ to, heading }) => ({ path: to, heading: heading.text.slice(0, 80) })),
    mending,
  };
}

interface SplitArguments extends HeadingAddress {
  readonly level?: number;
  readonly to?: string;
}

interface NamedSection {
  readonly heading: Heading;
  readonly path: VaultPath;
}

const MAX_SECTIONS = 100;

function sectionsToSplit(
  path: VaultPath,
  note: ParsedNote,
  { level, to, ...address }: SplitArguments,
): NamedSection[] {
  const folder = posix.dirname(path) === '.' ? '' : posix.dirname(path);
  if (level === undefined) {
    const heading = findHeading(note, address);
    return [{ heading, path: pathOfOne(heading, folder, to) }];
  }
  const headings = headingsAt(note, level, address);
  const into = to === undefined ? folder : parseFolder(to);
  const taken = new Set<string>();
  return headings.map((heading) => {
    const name = nameOf(heading);
    let free = joined(into, name);
    for (let count = 2; taken.has(spellingKey(free)); count++)
      free = joined(into, `${name} ${count}`);
    taken.add(spellingKey(free));
    return { heading, path: free };
  });
}

function headingsAt(note: ParsedNote, level: number, address: HeadingAddress): readonly Heading[] {
  if (Object.values(address).some((part) => part !== undefined)) {
    throw invalidArguments('give level, or exactly one of heading, heading_path and line');
  }
  const headings = note.headings.filter((heading) => heading.level === level);
  if (headings.length === 0) {
    throw new EditError(
      'heading_not_found',
      `the note has no heading of level ${level}; note_read shows its outline`,
    );
  }
  if (headings.length <= MAX_SECTIONS) return headings;
  throw new NotesError(
    'limit_exceeded',
    `${headings.length} sections exceed the limit of ${MAX_SECTIONS} per call; split at a higher level first`,
    { sections: headings.length },
  );
}

function pathOfOne(heading: Heading, folder: string, to: string | undefined): VaultPath {
  if (to === undefined) return joined(folder, nameOf(heading));
  return to.endsWith('/') ? joined(parseFolder(to), nameOf(heading)) : notePath(to);
}

function joined(folder: string, name: string): VaultPath {
  return parseVaultPath(folder === '' ? `${name}.md` : `${folder}/${name}.md`);
}

function nameOf({ text }: Heading): string {
  return nameOfTitle(text, 'Untitled');
}
