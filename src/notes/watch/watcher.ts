/**
 * What others do to the files of a vault: an editor, a checkout, a copy.
 *
 * Events of the system are gathered for a moment and handed on as files whose content must be read
 * again and paths where nothing is any more; what we did ourselves is left out. An event only says
 * where to look: what is reported is what is found there. A sweep follows a burst, in which the
 * system may have dropped events, and the exchange of the whole vault for another. Where watches
 * are refused, or the filesystem tells nothing of what other machines do, the vault is swept again
 * and again, and `state` says why.
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
  /** Files that are new or have other content; folders are given file by file. */
  changed(paths: readonly VaultPath[]): Promise<void>;
  /** Notes, or whole folders, that are gone. */
  removed(paths: readonly VaultPath[]): Promise<void>;
  /** Compare everything on disk with what is known. */
  sweep(): Promise<void>;
}

export interface WatcherState {
  readonly mode: 'events' | 'events_and_sweeps' | 'sweeps' | 'stopped';
  /** Why it sweeps; null when events are enough. */
  readonly reason: string | null;
  readonly folders: number;
  /** Folders whose files nobody can see, the index included. */
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
  /** How long events are gathered, and how often is swept where they are not enough. */
  readonly gatherMs: number;
  readonly sweepMs: number;
}

const BURST = 1000;
/** Beside events, sweeps are this much rarer; a sweep takes at most this part of the time. */
const SAFETY = 60;
/** Filesystems whose changes may be made elsewhere, by the number that statfs gives. */
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
  #above: { close(): void } | undefined;
  #remote: string | undefined;
  #stopped = false;
  #reason: string | null = null;
  #lastEvent: Date | null = null;
  #lastSweep: Date | null = null;
  #gather: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  private constructor(options: WatcherOptions) {
    this.#options = options;
    const { root, watchFolder } = options;
    this.#folders = new FolderWatches(root, watchFolder, (path) => this.#receive(path));
    options.own.onForgotten((path) => this.#receive(path));
  }

  /** Watches from the moment it returns; start it before the index looks at the disk. */
  static async start(options: WatcherOptions): Promise<Watcher> {
    const watcher = new Watcher(options);
    const filesystem = REMOTE.get(Number((await statfs(options.root)).type));
    if (filesystem) watcher.#remote = `${filesystem} does not tell what other machines change`;
    await watcher.#folders.add('');
    watcher.#watchAbove();
    watcher.#judge();
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
    clearTimeout(this.#gather);
    clearTimeout(this.#sweepTimer);
    this.#close();
    await this.#working;
    this.#close();
  }

  #close(): void {
    this.#folders.close();
    this.#above?.close();
    this.#above = undefined;
  }

  /**
   * The folder that the vault lies in tells when another takes its place: the watches stay with the
   * old one, wherever it was moved. Without this one the next sweep finds it.
   */
  #watchAbove(): void {
    const { root, watchFolder } = this.#options;
    const lose = () => {
      this.#above?.close();
      this.#above = undefined;
    };
    try {
      this.#above ??= watchFolder(
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
    const { gatherMs, now } = this.#options;
    if (path !== '' && pathProblem(path) !== undefined) return;
    this.#dirty.add(path);
    this.#lastEvent = new Date(now());
    this.#gather ??= setTimeout(() => {
      this.#gather = undefined;
      this.#enqueue(() => this.#handle());
    }, gatherMs);
  }

  async #handle(): Promise<void> {
    const { listener } = this.#options;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    if (dirty.includes('')) await this.#lookAtRoot();
    const changed = new Set<VaultPath>();
    const removed = new Set<VaultPath>();
    for (const path of dirty as VaultPath[]) {
      if (path === '') continue;
      const found = await this.#look(path);
      const isOurs = this.#isOurs(path);
      if (found?.isDirectory()) {
        if (this.#folders.has(path, found)) continue;
        if (this.#folders.remove(path)) removed.add(path);
        for (const file of await this.#enter(path)) changed.add(file);
      } else {
        // Where the folder is gone as well, its own removal is what is told.
        this.#folders.remove(path);
        if (isOurs) continue;
        if (found?.isFile()) changed.add(path);
        else if (await this.#look(dirname(path))) removed.add(path);
      }
    }
    this.#judge();
    if (removed.size > 0) await listener.removed([...removed]);
    if (changed.size > 0) await listener.changed([...changed]);
    if (dirty.length >= BURST) await this.#sweep();
  }

  /** Another vault in the place of the one that is watched, or none: nothing known of it holds. */
  async #lookAtRoot(): Promise<void> {
    const found = await this.#look('');
    if (found?.isDirectory() && this.#folders.has('', found)) return;
    this.#folders.close();
    await this.#folders.add('');
    this.#judge();
    await this.#sweep();
  }

  /** Watches a new folder, then gives the files in it that are not ours. */
  async #enter(folder: VaultPath): Promise<VaultPath[]> {
    await this.#folders.add(folder);
    const entered: VaultPath[] = [];
    for (const { path } of await listFiles(this.#options.root, folder)) {
      if ((await this.#look(path)) && !this.#isOurs(path)) entered.push(path);
    }
    return entered;
  }

  #look(path: string): Promise<BigIntStats | undefined> {
    return lstat(join(this.#options.root, path), { bigint: true }).catch(() => undefined);
  }

  /** Looks in the same moment: what was found before may be older than a change made since. */
  #isOurs(path: string): boolean {
    const { root, own } = this.#options;
    try {
      const found = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
      return own.has(path, found && stampOf(found));
    } catch {
      return false;
    }
  }

  /** Whether events are enough, and since when not. */
  #judge(): void {
    const lost = this.#folders.count === 0 ? 'the vault is not there' : null;
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
    const pause = this.#reason === null ? sweepMs * SAFETY : Math.max(sweepMs, tookMs * SAFETY);
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = setTimeout(() => {
      this.#enqueue(async () => {
        const begun = performance.now();
        await this.#folders.add('');
        this.#watchAbove();
        this.#judge();
        await this.#sweep();
        this.#scheduleSweep(performance.now() - begun);
      });
    }, pause);
    this.#sweepTimer.unref();
  }

  async #sweep(): Promise<void> {
    await this.#options.listener.sweep();
    this.#lastSweep = new Date(this.#options.now());
  }

  /** One thing at a time, in order; a listener that fails does not stop the watcher. */
  #enqueue(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(() => (this.#stopped ? undefined : work()))
      .catch((error) => {
        this.#options.log.error('watcher_problem', { message: describeError(error) });
        this.#scheduleSweep();
      });
  }
}
