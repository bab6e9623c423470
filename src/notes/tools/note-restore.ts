/** `note_restore`: restores a file from the trash or from a commit. */
import { Type } from '../../mcp/schema.ts';
import { contentHash } from '../files/content-hash.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import { spellingKey, type VaultPath } from '../files/vault-path.ts';
import { findPathOf } from '../tool-kit/find-note.ts';
import { filePath, newPathOf } from '../tool-kit/note-path.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { type ArgumentsOf, defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { CONTENT_HASH, DRY_RUN, reported, type Written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const ARGUMENTS = {
  path: Type.Optional(Type.String()),
  revision: Type.Optional(Type.String({ description: 'A full commit id of note_history.' })),
  trash_id: Type.Optional(Type.String()),
  to: Type.Optional(Type.String({ description: 'Another path, which must be free.' })),
  content_hash: CONTENT_HASH,
  dry_run: DRY_RUN,
} as const;
type RestoreArguments = ArgumentsOf<typeof ARGUMENTS>;

export const noteRestore = defineNotesTool({
  name: 'note_restore',
  title: 'Restore a note',
  description:
    'Restores a note or attachment from the trash (trash_id) or from a commit (path and revision). Without "to" it returns to its path; a revision then replaces the current file.',
  arguments: ARGUMENTS,
  annotations: WRITES,
  run: async (args, { open, parts }) => {
    const { path, revision, trash_id } = args;
    checkArguments(args);
    return trash_id === undefined
      ? fromHistory(open, await findPathOf(open, path!, parts.now()), revision!, args)
      : fromTrash(open, trash_id, args);
  },
});

function checkArguments(args: RestoreArguments): void {
  const { path, revision, trash_id, to, content_hash } = args;
  if ((revision === undefined) === (trash_id === undefined)) {
    throw invalidArguments('give either revision or trash_id');
  }
  if (revision !== undefined && path === undefined)
    throw invalidArguments('path is missing; give it together with revision');
  if (content_hash !== undefined && (trash_id ?? to) !== undefined) {
    throw invalidArguments('content_hash applies only when a file is replaced; omit it');
  }
}

async function fromTrash(
  open: OpenVault,
  trashId: string,
  { path, to, dry_run }: RestoreArguments,
): Promise<Written> {
  const entry = await open.vault.trash.locate(trashId);
  if (path !== undefined && spellingKey(filePath(path)) !== spellingKey(entry.path)) {
    throw invalidArguments(`that trash_id belongs to "${entry.path}"; omit path`);
  }
  const target = to === undefined ? entry.path : spelt(open, newPathOf(entry.path, to));
  const request = { tool: 'note_restore', scope: [target], dryRun: dry_run === true };
  const putBack = to === undefined ? { besideTwin: entry.besideTwin } : undefined;
  const change = await open.vault.changes.run(request, (transaction) =>
    transaction.restore(trashId, target, putBack),
  );
  return reported(open, change.value, change);
}

async function fromHistory(
  open: OpenVault,
  path: VaultPath,
  revision: string,
  { to, content_hash, dry_run }: RestoreArguments,
): Promise<Written> {
  const target = to === undefined ? path : spelt(open, newPathOf(path, to));
  const bytes = await open.vault.history.noteAt(path, revision);
  const request = { tool: 'note_restore', scope: [target], dryRun: dry_run === true };
  const change = await open.vault.changes.run(request, async (transaction) => {
    const isFree = content_hash === undefined && (await transaction.find(target)) === undefined;
    if (to !== undefined || isFree) return transaction.create(target, bytes);
    const file = await transaction.read(target, content_hash);
    await transaction.putBack(file.path, bytes);
    return file.path;
  });
  const result = await reported(open, change.value, change);
  return { ...result, content_hash: contentHash(bytes) };
}

function spelt({ vault }: OpenVault, path: VaultPath): VaultPath {
  return inSpelledFolder(vault.root, path);
}
