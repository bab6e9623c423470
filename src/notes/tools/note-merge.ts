/**
 * `note_merge`: appends a note to another with its frontmatter and names, updates all links to it and
 * moves it to the trash.
 */
import { Type } from '../../mcp/schema.ts';
import type { Transaction } from '../changes/change-types.ts';
import { type MergeLinks, mergeChange, type PlacedNote } from '../edit/merge.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { joinedNotes, readNames, readNote } from '../large-notes/heavy-notes.ts';
import type { NoteBytes } from '../large-notes/heavy-work.ts';
import { HeadingNames } from '../markdown/anchor.ts';
import { applyReplacements } from '../text/replacements.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { linkReplacements } from '../tool-kit/link-replacements.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { readText } from '../tool-kit/note-path.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { LinkMending, notesConcerned, whenIndexed } from '../tool-writes/mend-links.ts';
import { CONTENT_HASH, DRY_RUN, written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

interface Placed extends PlacedNote {
  readonly path: VaultPath;
}

export const noteMerge = defineNotesTool({
  name: 'note_merge',
  title: 'Merge notes',
  description:
    'Appends a note to another, merges their frontmatter, updates all links to it and moves it to the trash.',
  arguments: {
    path: Type.String({ maxLength: 1024, description: 'Moves to the trash.' }),
    into: Type.String({ maxLength: 1024, description: 'Receives the text.' }),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async ({ path, into, content_hash, dry_run = false }, { open, parts }) => {
    await whenIndexed(open);
    const request = { tool: 'note_merge', scope: 'vault' as const, dryRun: dry_run };
    const change = await open.vault.changes.run(request, async (transaction) => {
      const [from, to] = [
        await takeNote(open, path, parts.now()),
        await takeNote(open, into, parts.now()),
      ];
      const source = await readText(open, transaction, from.path, content_hash);
      const target = await readText(open, transaction, to.path);
      if (source.path === target.path) {
        throw invalidArguments('path and into are the same note; name two notes');
      }
      const made = await merge(open, transaction, await placed(source), await placed(target));
      const warnings = [...from.warnings, ...to.warnings, ...made.warnings];
      return { ...made, warnings, contentHash: target.contentHash };
    });
    const { target, source, trashId, mending, warnings, contentHash } = change.value;
    const result = written(open, target, change, warnings);
    return {
      ...result,
      content_hash: result.content_hash ?? contentHash,
      merged_from: source,
      trash_id: dry_run ? null : trashId,
      link_edits: mending.edits,
    };
  },
});

async function merge(open: OpenVault, transaction: Transaction, source: Placed, target: Placed) {
  const targets = new LinkTargets(open.index);
  await targets.load([source, target].map(({ path, note }) => ({ path, links: note.links })));
  const resolve: MergeLinks['resolve'] = (link) => targets.before(source.path, link);
  // A draft gives the names of the merged note, which do not depend on the spelling of links.
  const draft = await merged(
    source,
    { path: target.path, bytes: target.note.bytes },
    { resolve, isUnique: () => true },
  );
  const names = namesAt(target.path, await readNames(draft.bytes));
  targets.leaves(source.path);
  targets.has(target.path, names);
  await targets.loadGiven();

  const headings = new HeadingNames(target.note.headings);
  const shared = new Set<string>();
  const mending = new LinkMending(transaction, {
    targets,
    destination: (path, anchor = '') => {
      if (path !== source.path) return undefined;
      const twin = headings.find(anchor);
      if (anchor !== '' && twin !== undefined) shared.add(twin.text);
      return { path: target.path };
    },
  });
  const mended = await mending.mended(target.note, { path: target.path, from: target.path });
  const { bytes, warnings } = await merged(
    source,
    { path: target.path, bytes: mended },
    { resolve, ...targets.rulesAt(target.path) },
  );
  await transaction.write(target.path, bytes);
  const trashId = await transaction.remove(source.path);
  const concerned = await notesConcerned(open, [source.path], names);
  const both: string[] = [source.path, target.path];
  await mending.mendInPlace(concerned.filter((path) => !both.includes(path)));
  const clashes = [...shared].map(
    (text) => `both notes have the heading "${text}"; links to it lead to the first`,
  );
  return {
    source: source.path,
    target: target.path,
    trashId,
    mending,
    warnings: [...warnings, ...clashes, ...mending.warnings],
  };
}

/** The target with the source appended. */
async function merged(source: Placed, target: NoteBytes, links: MergeLinks) {
  const { path, note } = source;
  const respelt = await linkReplacements(note, mergeChange(path, target.path, links));
  return joinedNotes({ path, bytes: applyReplacements(note.bytes, respelt) }, target);
}

async function placed({ path, bytes }: StoredFile): Promise<Placed> {
  return { path, note: await readNote(bytes) };
}
