/**
 * Watches a vault for changes made by others, such as an editor, a checkout or a copy.
 *
 * File events are debounced and reported as paths to read again and paths that are gone; events of
 * our own writes are ignored. An event only says where to look: what is found there is reported. A
 * sweep compares everything: instead of the events of a burst, of which the system may drop some, after
 * the vault was replaced, and periodically where watches are refused or the filesystem does not report
 * changes made by other machines; `state` gives the reason.
 */
import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describeError, type Log } from '../../core/log/log.ts';
import type { OwnWrites } from '../files/own-writes.ts';
import { stampOf } from '../files/stored-file.ts';
import { pathProblem, type VaultPath } from '../files/vault-path.ts';
import { listFiles } from '../files/walk.ts';
import { FolderWatches, type WatchFolder } from './folder-watches.ts';

export interface WatchListener {
  /** New and changed files; a new folder is reported file by file. */
  changed(paths: readonly VaultPath[]): Promise<void>;
  /** Removed files and folders. */
  removed(paths: readonly VaultPath[]): Promise<void>;
  /** Compares the whole vault with the index. */
  sweep(): Promise<void>;
}

export interface WatcherState {
  readonly mode: 'events' | 'events_and_sweeps' | 'sweeps' | 'stopped';
  /** Why events alone are not enough; null when they are. */
  readonly reason: string | null;
  readonly folders: number;
  /** Folders that the server may not read; their files are not indexed. */
  readonly unreadable: readonly string[];
  readonly lastEvent: Date | null;
  readonly lastSweep: Date | null;
}

export interface WatcherOptions {
  readonly root: string;
  readonly watchFolder: WatchFolder;
  readonly own: OwnWrites;
  readonly listener: WatchListener;
  readonly log: Log;
  readonly now: () => number;
  readonly debounceMs: number;
  /** The sweep interval where events are not enough. */
  readonly sweepMs: number;
}

/** As many changed paths at once are answered by one sweep, which costs less than to look at each. */
const BURST = 500;
/** Sweeps are this many times rarer beside events, and take at most 1/60 of the time. */
const SWEEP_FACTOR = 60;
/** Filesystems that other machines can write to, by statfs type. */
const REMOTE = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x65735546, 'fuse'],
  [0x00c36400, 'ceph'],
]);

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #folders: FolderWatches;
  readonly #dirty = new Set<string>();
  #parentWatch: { close(): void } | undefined;
  #remote: string | undefined;
  #stopped = false;
  #reason: string | null = null;
  #lastEvent: Date | null = null;
  #lastSweep: Date | null = null;
  #debounce: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  private constructor(options: WatcherOptions) {
    this.#options = options;
    const { root, watchFolder } = options;
    this.#folders = new FolderWatches(root, watchFolder, (path) => this.#receive(path));
    options.own.onForget((path) => this.#receive(path));
  }

  /** Start it before the index reads the disk, so that no change is missed. */
  static async start(options: WatcherOptions): Promise<Watcher> {
    const watcher = new Watcher(options);
    const filesystem = REMOTE.get(Number((await statfs(options.root)).type));
    if (filesystem)
      watcher.#remote = `${filesystem} does not report changes made by other machines`;
    await watcher.#folders.add('');
    watcher.#watchParent();
    watcher.#updateReason();
    watcher.#scheduleSweep();
    return watcher;
  }

  state(): WatcherState {
    const watching = this.#folders.count > 0 ? 'events_and_sweeps' : 'sweeps';
    return {
      mode: this.#stopped ? 'stopped' : this.#reason === null ? 'events' : watching,
      reason: this.#reason,
      folders: this.#folders.count,
      unreadable: this.#folders.unreadable,
      lastEvent: this.#lastEvent,
      lastSweep: this.#lastSweep,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#debounce);
    clearTimeout(this.#sweepTimer);
    this.#close();
    await this.#working;
    this.#close();
  }

  #close(): void {
    this.#folders.close();
    this.#parentWatch?.close();
    this.#parentWatch = undefined;
  }

  /**
   * Notices when the vault itself is replaced; its own watches follow the old folder. Without this
   * watch the next sweep notices it.
   */
  #watchParent(): void {
    const { root, watchFolder } = this.#options;
    const lose = () => {
      this.#parentWatch?.close();
      this.#parentWatch = undefined;
    };
    try {
      this.#parentWatch ??= watchFolder(
        dirname(root),
        (name) => name === basename(root) && this.#receive(''),
        lose,
      );
    } catch {
      lose();
    }
  }

  #receive(path: string): void {
    if (this.#stopped) return;
    const { debounceMs, now } = this.#options;
    if (path !== '' && pathProblem(path) !== undefined) return;
    this.#dirty.add(path);
    this.#lastEvent = new Date(now());
    this.#debounce ??= setTimeout(() => {
      this.#debounce = undefined;
      this.#enqueue(() => this.#handle());
    }, debounceMs);
  }

  async #handle(): Promise<void> {
    const { listener } = this.#options;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    if (dirty.includes('')) await this.#checkRoot();
    if (dirty.length >= BURST) {
      for (const path of dirty) this.#options.own.disown(path);
      await this.#sweepFolders();
      return;
    }
    const changed = new Set<VaultPath>();
    const removed = new Set<VaultPath>();
    for (const path of dirty as VaultPath[]) {
      if (path === '') continue;
      const found = await this.#stat(path);
      const isOurs = this.#isOurs(path);
      if (found?.isDirectory()) {
        if (this.#folders.has(path, found)) continue;
        if (this.#folders.remove(path)) removed.add(path);
        for (const file of await this.#enter(path)) changed.add(file);
      } else {
        // If its folder is gone too, only the removal of the folder is reported.
        this.#folders.remove(path);
        if (isOurs) continue;
        if (found?.isFile()) changed.add(path);
        else if (await this.#stat(dirname(path))) removed.add(path);
      }
    }
    this.#updateReason();
    if (removed.size > 0) await listener.removed([...removed]);
    if (changed.size > 0) await listener.changed([...changed]);
  }

  /** Starts over if the vault was replaced or removed. */
  async #checkRoot(): Promise<void> {
    const found = await this.#stat('');
    if (found?.isDirectory() && this.#folders.has('', found)) return;
    this.#folders.close();
    await this.#folders.add('');
    this.#updateReason();
    await this.#sweep();
  }

  /** Watches a new folder and returns the files in it that we did not write. */
  async #enter(folder: VaultPath): Promise<VaultPath[]> {
    await this.#folders.add(folder);
    const entered: VaultPath[] = [];
    for (const { path } of await listFiles(this.#options.root, folder)) {
      if ((await this.#stat(path)) && !this.#isOurs(path)) entered.push(path);
    }
    return entered;
  }

  #stat(path: string): Promise<BigIntStats | undefined> {
    return lstat(join(this.#options.root, path), { bigint: true }).catch(() => undefined);
  }

  /** Synchronous: an earlier stat may be older than a change of ours since. */
  #isOurs(path: string): boolean {
    const { root, own } = this.#options;
    try {
      const found = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
      return own.has(path, found && stampOf(found));
    } catch {
      return false;
    }
  }

  #updateReason(): void {
    const lost = this.#folders.count === 0 ? 'the vault directory is missing' : null;
    const reason = this.#folders.refusal ?? this.#remote ?? lost;
    if (reason === this.#reason) return;
    this.#reason = reason;
    if (reason === null) this.#options.log.info('watcher_recovered');
    else this.#options.log.warn('watcher_degraded', { mode: this.state().mode, reason });
    this.#scheduleSweep();
  }

  #scheduleSweep(tookMs = 0): void {
    if (this.#stopped) return;
    const { sweepMs } = this.#options;
    const pause =
      this.#reason === null ? sweepMs * SWEEP_FACTOR : Math.max(sweepMs, tookMs * SWEEP_FACTOR);
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = setTimeout(() => {
      this.#enqueue(async () => {
        const begun = performance.now();
        this.#watchParent();
        await this.#sweepFolders();
        this.#scheduleSweep(performance.now() - begun);
      });
    }, pause);
    this.#sweepTimer.unref();
  }

  /** New folders are watched before the sweep, so that no change in them is missed. */
  async #sweepFolders(): Promise<void> {
    await this.#folders.add('');
    this.#updateReason();
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    await this.#options.listener.sweep();
    this.#lastSweep = new Date(this.#options.now());
  }

  /** Runs work in order, one at a time; a failing listener does not stop the watcher. */
  #enqueue(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(() => (this.#stopped ? undefined : work()))
      .catch((error) => {
        this.#options.log.error('watcher_problem', { message: describeError(error) });
        this.#scheduleSweep();
      });
  }
}
