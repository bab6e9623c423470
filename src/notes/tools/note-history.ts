/** `note_history`: revisions of a note or a vault, diffs between them, and the trash. */
import { DAY_MS } from '../../core/time.ts';
import { Type } from '../../mcp/schema.ts';
import { RETENTION_MS } from '../changes/journal.ts';
import { isBelow, parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { GitFailure } from '../git/git-process.ts';
import type { Revision } from '../git/history.ts';
import { readCursor, writeCursor } from '../index/query/cursor.ts';
import { findPathOf } from '../tool-kit/find-note.ts';
import { clipTexts, fittingPage } from '../tool-kit/fit.ts';
import { commitOf, differencePage, settledSoon } from '../tool-kit/history-difference.ts';
import { CURSOR, limitOf } from '../tool-kit/listing.ts';
import { notFound } from '../tool-kit/note-path.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 20;
/** Git skips from the newest revision each time, so the cost grows with the offset. */
const MAX_OFFSET = 100_000;
const REVISION = Type.Optional(Type.String({ maxLength: 64 }));

interface Page {
  readonly limit: number;
  readonly cursor: string | undefined;
}

export const noteHistory = defineNotesTool({
  name: 'note_history',
  title: 'History',
  description:
    'Revisions of a note (or the vault), newest first. from/to (commit id, change_id, day, yesterday or 7d): the diff; from alone: since then; to alone: what that change did. deleted: the trash, for note_restore.',
  arguments: {
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    deleted: Type.Optional(Type.Boolean()),
    from: REVISION,
    to: REVISION,
    limit: limitOf(DEFAULT_LIMIT, 100),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async (
    { path: asked, deleted, from, to, limit = DEFAULT_LIMIT, cursor },
    { open, parts },
  ) => {
    const [page, now]: [Page, Date] = [{ limit, cursor }, parts.now()];
    if (deleted === true) return trashPage(open, asked, page);
    const { history } = open.vault;
    await settledSoon(open);
    const path = asked === undefined ? undefined : await findPathOf(open, asked, now);
    try {
      if (from === undefined && to === undefined) return await revisionPage(open, path, page);
      const newer = to === undefined ? undefined : await commitOf(open, to, now, 'end');
      const older = from === undefined ? undefined : await commitOf(open, from, now);
      const until =
        newer ??
        open.vault.git?.state().head ??
        (await history.commitBefore(Date.now() + DAY_MS)) ??
        older!;
      const since = older ?? (await history.before(until));
      const shown = await differencePage(history, since, until, path, page);
      return { vault: open.name, ...(path && { path }), from: since, to: until, ...shown };
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      throw new NotesError('storage_error', 'git failed; vault_stats shows more', {}, error);
    }
  },
});

async function revisionPage(
  open: OpenVault,
  path: VaultPath | undefined,
  { limit, cursor }: Page,
): Promise<object> {
  const skip = offsetOf(cursor);
  const { history, git } = open.vault;
  const { items, ...rest } = await fittingPage(limit, async (count) => {
    const query = { limit: count + 1, skip, ...(path !== undefined && { path }) };
    const revisions = await history.revisions(query);
    return {
      items: revisions.slice(0, count).map(shownRevision),
      ...(revisions.length > count && { cursor: writeCursor([skip + count]) }),
    };
  });
  if (path !== undefined && items.length === 0 && skip === 0) {
    if ((await open.vault.find(path)) === undefined) throw await notFound(open, path);
  }
  const pending = git?.state().pending ?? 0;
  return {
    vault: open.name,
    ...(path !== undefined && { path }),
    revisions: items,
    ...rest,
    ...(pending > 0 && { pending }),
  };
}

function shownRevision({ commit, at, author, subject, changeId, path }: Revision): object {
  return clipTexts({
    commit,
    at: at.toISOString(),
    author,
    subject,
    ...(changeId !== null && { change_id: changeId }),
    ...(path !== undefined && { path }),
  });
}

/** Works without git. A folder matches everything that was in it. */
async function trashPage(
  { name, vault }: OpenVault,
  asked: string | undefined,
  { limit, cursor }: Page,
): Promise<object> {
  const path = asked === undefined ? undefined : parseVaultPath(asked);
  const skip = offsetOf(cursor);
  const all = (await vault.trash.list()).filter(
    (entry) =>
      path === undefined || [path, `${path}.md`].includes(entry.path) || isBelow(entry.path, path),
  );
  const { items, ...rest } = await fittingPage(limit, async (count) => ({
    items: all.slice(skip, skip + count).map((entry) => ({
      trash_id: entry.trashId,
      path: entry.path,
      deleted_at: entry.deletedAt.toISOString(),
      expires_at: new Date(entry.deletedAt.getTime() + RETENTION_MS).toISOString(),
      bytes: entry.bytes,
    })),
    ...(all.length > skip + count && { cursor: writeCursor([skip + count]) }),
  }));
  return { vault: name, trash: items, ...rest };
}

function offsetOf(cursor: string | undefined): number {
  const [offset = 0] = readCursor(cursor);
  if (offset >= 0 && offset <= MAX_OFFSET) return offset;
  throw new NotesError(
    'invalid_arguments',
    `a cursor goes to ${MAX_OFFSET} revisions at most; name a note or dates instead`,
  );
}
