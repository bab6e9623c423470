/** `vault_stats`: counts, and the state of index, watcher, git and trash. */
import { isBelow } from '../files/vault-path.ts';
import { IndexError } from '../index/store/index-error.ts';
import { clipTexts, countFitting } from '../tool-kit/fit.ts';
import { PREFIX, readPrefix } from '../tool-kit/listing.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import { readDataFolders } from '../vaults/data-folders.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

export const vaultStats = defineNotesTool({
  name: 'vault_stats',
  title: 'Vault statistics',
  description:
    'Counts, notes by depth of folder, and the state of index (with skipped notes), search by meaning, watcher, git and trash; also folders and notes outside any vault. Check it when search finds too little or a push fails.',
  arguments: { prefix: PREFIX },
  annotations: READS,
  run: async (args, { open, parts }) => {
    const { prefix } = await readPrefix(open, args.prefix);
    const { counts, depth, skipped, reason } = await statsOf(open, prefix);
    const { onDisk, ...index } = open.index.state();
    const { lastEvent, lastSweep, unreadable, ...watcher } = open.watcher();
    const unread = unreadable.filter((path) => prefix === undefined || isAtOrBelow(path, prefix));
    return {
      vault: open.name,
      ...(prefix !== undefined && { prefix }),
      counts,
      depth: Object.fromEntries(Object.entries(depth).slice(0, MAX_DEPTHS)),
      index: {
        ...index,
        on_disk: onDisk,
        ...(reason !== undefined && { reason }),
        ...(skipped.length > 0 && { skipped_notes: clipSkipped(skipped) }),
        ...(unread.length > 0 && { unread_folders: unreadFolders(unread) }),
      },
      ...(open.meaning && { semantic: open.meaning.state() }),
      watcher: { ...watcher, last_event: lastEvent, last_sweep: lastSweep },
      git: gitState(open),
      trash: await trashState(open),
      ...(prefix === undefined && (await outsideVaults(parts.vaults.data))),
    };
  },
});

const MAX_DEPTHS = 100;
const MAX_SKIPPED_CHARS = 8000;
const MAX_UNREAD_CHARS = 4000;
const MAX_OUTSIDE_CHARS = 3000;

type Stats = Awaited<ReturnType<OpenVault['index']['stats']>>;

/** An index that cannot answer is reported; the rest of the result is still shown. */
async function statsOf(
  { index }: OpenVault,
  prefix: string | undefined,
): Promise<Omit<Stats, 'counts'> & { counts: Stats['counts'] | null; reason?: string }> {
  try {
    return await index.stats(prefix);
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    return { counts: null, depth: {}, skipped: [], reason: error.message };
  }
}

function clipSkipped(skipped: Stats['skipped']): object[] {
  const shown = clipTexts(skipped);
  return shown.slice(0, countFitting(shown, MAX_SKIPPED_CHARS));
}

/** Folders that are not vaults and notes outside any vault, such as after a misplaced import. */
async function outsideVaults(data: string): Promise<object> {
  const { skipped, skippedCount, looseNotes } = await readDataFolders(data);
  if (skippedCount === 0 && looseNotes.count === 0) return {};
  const shown = clipTexts(skipped).map(({ name, reason, newName }) => ({
    name,
    reason,
    ...(newName !== undefined && { rename_to: newName }),
  }));
  return {
    outside_vaults: {
      folders: skippedCount,
      ...(skippedCount > 0 && {
        skipped_folders: shown.slice(0, countFitting(shown, MAX_OUTSIDE_CHARS)),
      }),
      notes: looseNotes.count,
    },
  };
}

/** Notes in these folders are not counted. */
function unreadFolders(paths: readonly string[]): object[] {
  const reason = 'permission denied; give it to the user the server runs as';
  const shown = paths.map((path) => ({ path, reason }));
  return shown.slice(0, countFitting(shown, MAX_UNREAD_CHARS));
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

function gitState({ vault }: OpenVault): object {
  if (vault.git === undefined) return { enabled: false };
  const { head, pending, push, unpushed, lastPush, lastError } = vault.git.state();
  return {
    enabled: true,
    head,
    pending,
    push,
    unpushed,
    last_push: lastPush,
    last_error: lastError,
  };
}

async function trashState({ vault }: OpenVault): Promise<object> {
  const entries = await vault.trash.list();
  return {
    notes: entries.length,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    oldest: entries.at(-1)?.deletedAt ?? null,
  };
}
