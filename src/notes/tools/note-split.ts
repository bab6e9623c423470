/**
 * `note_split`: turns sections of a note into notes, byte for byte, replaces each by a link and
 * updates all links to them.
 */
import { Type } from '../../mcp/schema.ts';
import type { Transaction } from '../changes/change-types.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { readHabits } from '../habits/vault-habits.ts';
import type { FileName } from '../index/content/link-names.ts';
import { readNames, readNote } from '../large-notes/heavy-notes.ts';
import type { Heading } from '../markdown/parsed-note.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { readText } from '../tool-kit/note-path.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { LinkMending, notesConcerned, whenIndexed } from '../tool-writes/mend-links.ts';
import { splitInto } from '../tool-writes/split-into.ts';
import { type SplitArguments, sectionsToSplit } from '../tool-writes/split-names.ts';
import { CONTENT_HASH, DRY_RUN, NOTE_PATH, written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const noteSplit = defineNotesTool({
  name: 'note_split',
  title: 'Split a note',
  description:
    'Makes a note of every section of a level, or of one section, and leaves links in their place. Links to them are updated.',
  arguments: {
    path: NOTE_PATH,
    level: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
    heading: Type.Optional(Type.String()),
    heading_path: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 6 })),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
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
  const mending = new LinkMending(transaction, { targets, destination, keepsOtherNames: true });
  const others = concerned.filter((other) => other !== path);
  await mending.mend(others.map((other) => ({ path: other as VaultPath, from: other })));
  return {
    spelt: path,
    created: cuts.map(({ to, heading }) => ({ path: to, heading: heading.text.slice(0, 80) })),
    mending,
  };
}
