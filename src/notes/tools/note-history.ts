/** `note_history`: revisions of a note or a vault, diffs between them, and the trash. */

import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../core/time.ts';
import { Type } from '../../mcp/schema.ts';
import { positionOf } from '../changes/change-id.ts';
import { RETENTION_MS } from '../changes/journal.ts';
import { isBelow, parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { GitFailure } from '../git/git-process.ts';
import { COMMIT_ID } from '../git/git-repository.ts';
import type { ChangedPath, History, Revision } from '../git/history.ts';
import { readCursor, writeCursor } from '../index/query/cursor.ts';
import { findPathOf } from '../tool-kit/find-note.ts';
import { clipTexts, fittingPage, jsonLength, offsetPage, PAGE_CHARS } from '../tool-kit/fit.ts';
import { CURSOR, limitOf } from '../tool-kit/listing.ts';
import { momentOf } from '../tool-kit/moments.ts';
import { notFound } from '../tool-kit/note-path.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
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
  const shown = all.map(({ trashId, path, deletedAt, bytes }) => ({
    trash_id: trashId,
    path,
    deleted_at: deletedAt.toISOString(),
    expires_at: new Date(deletedAt.getTime() + RETENTION_MS).toISOString(),
    bytes,
  }));
  const { items, ...rest } = await fittingPage(limit, async (count) =>
    offsetPage(shown, skip, count),
  );
  return { vault: name, trash: items, ...rest };
}

function offsetOf(cursor: string | undefined): number {
  const [offset = 0] = readCursor(cursor);
  if (offset <= MAX_OFFSET) return offset;
  throw invalidArguments(
    `a cursor goes to ${MAX_OFFSET} revisions at most; name a note or dates instead`,
  );
}

const SETTLE_TIMEOUT_MS = 2000;
/** With less budget left, the next file starts a new page. */
const MIN_CHARS = 1000;

/** Waits shortly for pending commits, so that the history contains the caller's last write. */
async function settledSoon({ vault }: OpenVault): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  const late = delay(SETTLE_TIMEOUT_MS, undefined, { ref: false, signal }).catch(() => {});
  await Promise.race([vault.git?.settled(), late]);
  enough.abort();
}

/**
 * The commit of a commit id or a change id; of a day or a time, the last one by then, or the empty
 * tree. As the end of a range, a day counts whole.
 */
async function commitOf(
  open: OpenVault,
  revision: string,
  now: Date,
  edge: 'start' | 'end' = 'start',
): Promise<string> {
  const { vault } = open;
  if (COMMIT_ID.test(revision)) return revision;
  if (positionOf(revision) === undefined) {
    const moment = momentOf(revision, now, edge);
    if (moment === undefined) return revision;
    const commit = await vault.history.commitBefore(moment);
    return commit ?? vault.history.emptyTree(vault.git?.state().head?.length ?? 40);
  }
  const commit = vault.git?.commitOf(revision) ?? (await vault.history.commitOf(revision));
  if (commit !== null) return commit;
  const pending = vault.git?.state().pending ?? 0;
  throw new NotesError(
    'revision_not_found',
    pending > 0
      ? 'the commit of that change is pending; try again in a moment or see vault_stats'
      : 'no commit contains that change; call note_history without it to list the commits',
    { revision, pending },
  );
}

interface ShownFile extends ChangedPath {
  readonly diff: string;
}

/** At most `limit` files; a diff that is too long continues on the next page. */
async function differencePage(
  history: History,
  from: string,
  to: string,
  path: VaultPath | undefined,
  page: { readonly limit: number; readonly cursor: string | undefined },
): Promise<{ files: readonly ShownFile[]; cursor?: string }> {
  const changed = (await history.changed(from, to)).filter(
    (file) => path === undefined || file.path === path || file.from === path,
  );
  const [first = 0, skipped = 0] = readCursor(page.cursor, 2);
  const files: ShownFile[] = [];
  let budget = PAGE_CHARS;
  for (let at = first; at < changed.length; at++) {
    if (files.length === page.limit) return { files, cursor: writeCursor([at, 0]) };
    const file = changed[at]!;
    budget -= jsonLength(file);
    if (files.length > 0 && budget < MIN_CHARS) return { files, cursor: writeCursor([at, 0]) };
    const paths = file.from === undefined ? [file.path] : [file.from, file.path];
    const whole = await history.difference(from, to, ...paths);
    const begin = at === first ? skipped : 0;
    const diff = truncateToJson(whole.slice(begin), budget);
    files.push({ ...file, diff });
    budget -= jsonLength(diff);
    const end = begin + diff.length;
    if (end < whole.length) return { files, cursor: writeCursor([at, end]) };
  }
  return { files };
}

/** The beginning of a text that fits the budget as JSON, cut after a line if one ends nearby. */
function truncateToJson(text: string, maxChars: number): string {
  let kept = text.slice(0, Math.max(1, maxChars));
  while (jsonLength(kept) > maxChars && kept.length > 1) {
    kept = kept.slice(0, Math.floor(kept.length * Math.min(0.9, maxChars / jsonLength(kept))) || 1);
  }
  if (kept.length === text.length) return kept;
  const lineEnd = kept.lastIndexOf('\n') + 1;
  return lineEnd > kept.length / 2 ? kept.slice(0, lineEnd) : kept;
}
