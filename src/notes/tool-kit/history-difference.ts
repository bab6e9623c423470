/** The diff between two commits, file by file, in pages. */
import { setTimeout as delay } from 'node:timers/promises';
import { positionOf } from '../changes/change-id.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { COMMIT_ID } from '../git/git-repository.ts';
import type { ChangedPath, History } from '../git/history.ts';
import { readCursor, writeCursor } from '../index/query/cursor.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { jsonLength, PAGE_CHARS } from './fit.ts';
import { momentOf } from './moments.ts';
import { NotesError } from './notes-error.ts';

const SETTLE_TIMEOUT_MS = 2000;
/** With less budget left, the next file starts a new page. */
const MIN_CHARS = 1000;

/** Waits shortly for pending commits, so that the history contains the caller's last write. */
export async function settledSoon({ vault }: OpenVault): Promise<void> {
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
export async function commitOf(
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
export async function differencePage(
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
  for (let at = Math.max(0, first); at < changed.length; at++) {
    if (files.length === page.limit) return { files, cursor: writeCursor([at, 0]) };
    const file = changed[at]!;
    budget -= jsonLength(file);
    if (files.length > 0 && budget < MIN_CHARS) return { files, cursor: writeCursor([at, 0]) };
    const paths = file.from === undefined ? [file.path] : [file.from, file.path];
    const whole = await history.difference(from, to, ...paths);
    const begin = at === first ? Math.max(0, skipped) : 0;
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
