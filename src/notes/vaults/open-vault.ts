/**
 * A vault as the tools use it: its files, their index, and the watcher that updates the index after
 * changes made by others. A change made here is in the index before it is answered.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError, type Log } from '../../core/log/log.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import type { Embeddings } from '../embeddings/embeddings.ts';
import type { ToolActivity } from '../embeddings/tool-activity.ts';
import { VaultEmbeddings } from '../embeddings/vault-embeddings.ts';
import { errorCode } from '../files/storage-error.ts';
import { type IndexState, NoteIndex } from '../index/note-index.ts';
import type { IndexWorkers } from '../index/workers/index-workers.ts';
import type { Watcher, WatcherState } from '../watch/watcher.ts';
import { INDEX_FILE } from './data-directory.ts';
import type { FileChanges } from './file-changes.ts';
import type { Vault } from './vault.ts';
import { isWritable } from './write-policy.ts';

export interface OpenVaultOptions {
  readonly workers: IndexWorkers;
  readonly log: Log;
  readonly activity: ToolActivity;
  readonly fileChanges: FileChanges;
  /** Present while search by meaning is on. */
  readonly embeddings?: Embeddings | undefined;
}

/** Called at every step of a build. */
export type StateListener = (state: IndexState) => void;

const PROGRESS_MS = 5_000;
/** Changes of more files are indexed as one batch. */
const MANY_FILES = 20;
const NOT_WATCHED: WatcherState = {
  mode: 'stopped',
  reason: 'the watcher has not started yet',
  folders: 0,
  unreadable: [],
  lastEvent: null,
  lastSweep: null,
};

export class OpenVault {
  readonly vault: Vault;
  readonly index: NoteIndex;
  /** Present while search by meaning is on. */
  readonly meaning: VaultEmbeddings | undefined;
  readonly #log: Log;
  readonly #fileChanges: FileChanges;
  readonly #states: Set<StateListener>;
  /** The folder of an index that cannot be in the vault. */
  #temporary: string | undefined;
  #watcher: Watcher | undefined;
  #watching: Promise<void> = Promise.resolve();
  #ready: Promise<void> = Promise.resolve();

  private constructor(
    vault: Vault,
    index: NoteIndex,
    states: Set<StateListener>,
    { log, activity, fileChanges, embeddings }: OpenVaultOptions,
  ) {
    const { name } = vault;
    this.vault = vault;
    this.index = index;
    this.#states = states;
    this.#log = log;
    this.#fileChanges = fileChanges;
    if (embeddings === undefined) return;
    const meaning = new VaultEmbeddings({
      vault: name,
      tables: index.vectors,
      embeddings,
      activity,
      log,
      hidden: () => canaries(vault.root),
    });
    this.meaning = meaning;
    // After every build and write the index is ready again.
    states.add(({ state }) => {
      if (state === 'ready') meaning.update();
    });
  }

  /** Returns at once; `ready` resolves when the index is up to date. */
  static async open(vault: Vault, options: OpenVaultOptions): Promise<OpenVault> {
    const { workers, log } = options;
    const states = new Set<StateListener>([logBuilds(vault.name, log)]);
    const temporary = vault.isReadOnly ? temporaryIndex(vault.root) : undefined;
    const index = await NoteIndex.open({
      root: vault.root,
      file: join(temporary ?? vault.root, temporary === undefined ? INDEX_FILE : 'index.db'),
      workers,
      onState: (state) => {
        for (const listener of states) listener(state);
      },
      onProblem: (message, cause) =>
        log.error('index_problem', { vault: vault.name, message, cause: describeError(cause) }),
    });
    const opened = new OpenVault(vault, index, states, options);
    opened.#temporary = temporary;
    vault.onChange((change) => opened.#indexChange(change));
    opened.#watching = opened.#watch();
    opened.#ready = opened.#watching.then(() => opened.#build());
    return opened;
  }

  get name(): string {
    return this.vault.name;
  }

  /** Resolves when the index is up to date, or its build has failed. */
  ready(): Promise<void> {
    return this.#ready;
  }

  watcher(): WatcherState {
    return this.#watcher?.state() ?? NOT_WATCHED;
  }

  /** Rebuilds the index from all files, with progress. */
  async reindex(listener: StateListener): Promise<void> {
    this.#states.add(listener);
    try {
      await this.index.rebuild();
    } finally {
      this.#states.delete(listener);
    }
  }

  /** Interrupts a running build; it resumes at the next start. */
  async close(): Promise<void> {
    this.#states.clear();
    await Promise.all([this.#watching, this.meaning?.close()]);
    await Promise.all([this.#watcher?.stop(), this.index.close(), this.#ready]);
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  async #watch(): Promise<void> {
    const { index, name } = this;
    const changes = this.#fileChanges;
    try {
      this.#watcher = await this.vault.watch({
        changed: async (paths) => {
          await index.refresh(paths);
          changes.changed(name, paths);
        },
        removed: async (paths) => {
          await index.refresh(paths);
          changes.removed(name, paths);
        },
        sweep: async () => {
          const { changed, removed } = await index.build();
          if (changed + removed > 0) changes.anyChanged(name);
        },
      });
    } catch (error) {
      const message = describeError(error);
      this.#log.error('watcher_problem', { vault: this.name, message });
    }
  }

  async #build(): Promise<void> {
    await this.index.build().catch((error) => {
      const message = describeError(error);
      this.#log.error('index_problem', { vault: this.name, message });
    });
  }

  /** Removals come first: a change may remove a note and create it again. */
  async #indexChange(change: AppliedChange): Promise<void> {
    await this.#putInIndex(change);
    const paths = change.files.map(({ path }) => path);
    this.#fileChanges.changed(this.name, [...change.gone, ...paths]);
  }

  async #putInIndex({ gone, files }: AppliedChange): Promise<void> {
    if (files.length > MANY_FILES) {
      await this.index.refresh([...new Set([...gone, ...files.map(({ path }) => path)])]);
      return;
    }
    for (const path of gone) await this.index.remove(path);
    for (const { path, after, mtimeMs } of files) {
      if (after !== undefined) await this.index.upsert(path, after, mtimeMs ?? Date.now());
    }
  }
}

/** Canary notes look like secrets to a reader, so they are sent nowhere. */
async function canaries(root: string): Promise<string[]> {
  const list = await readFile(join(root, '.notes/canaries'), 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  return list.split('\n').flatMap((line) => line.trim() || []);
}

/** Logs the start of a build, its progress every few seconds, and its end. */
function logBuilds(vault: string, log: Log): (state: IndexState) => void {
  let last: IndexState['state'] | undefined;
  let loggedMs = Date.now();
  return ({ state, indexed, onDisk, skipped, reason }) => {
    const nowMs = Date.now();
    const isProgress = state === 'building' && nowMs - loggedMs >= PROGRESS_MS;
    if (state === last && !isProgress) return;
    const fields = { vault, indexed, on_disk: onDisk, skipped, ...(reason && { reason }) };
    if (state === 'ready') log.info('index_ready', fields);
    if (state === 'degraded') log.error('index_degraded', fields);
    if (state === 'building') log.info('index_building', fields);
    [last, loggedMs] = [state, nowMs];
  };
}

/** A new folder for the index if the vault cannot hold it; undefined if it can. */
function temporaryIndex(root: string): string | undefined {
  const own = join(root, '.notes');
  if (isWritable(existsSync(own) ? own : root)) return undefined;
  return mkdtempSync(join(tmpdir(), 'notes-index-'));
}
