/**
 * What others do to the files of a vault: an editor, a checkout, a copy.
 *
 * Events of the system are gathered for a moment and handed on as paths whose content must be read
 * again and paths where nothing is any more. The library below has gaps, and each is closed here:
 * it does not watch the folders inside a tree that was moved in, so a new folder that has folders
 * makes it watch anew; it says nothing when events were dropped, so a sweep follows a burst; it
 * says nothing when the system refuses another watch, so one is tried for each new folder. Where
 * events cannot be had, or come only for what this machine does, the vault is swept again and
 * again, and `state` says why.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError, type Log } from '../../core/log.ts';
import type { OwnWrites } from './own-writes.ts';
import { errorCode } from './storage-error.ts';
import { stampOf } from './stored-file.ts';
import { pathProblem, type VaultPath } from './vault-path.ts';
import { listFiles } from './walk.ts';

export interface WatchEvent {
  readonly path: string;
  readonly type: 'create' | 'update' | 'delete';
}

/** The part of `@parcel/watcher` that is used, so that tests can exhaust it. */
export interface WatchSource {
  subscribe(
    directory: string,
    callback: (error: Error | null, events: readonly WatchEvent[]) => void,
    options: { ignore: string[] },
  ): Promise<{ unsubscribe(): Promise<void> }>;
  /** Throws where the system refuses another watch. */
  tryWatch(directory: string): void;
}

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
  readonly lastEvent: Date | null;
  readonly lastSweep: Date | null;
}

export interface WatcherOptions {
  readonly root: string;
  readonly source: WatchSource;
  readonly own: OwnWrites;
  readonly listener: WatchListener;
  readonly log: Log;
  readonly now: () => number;
  /** How long events are gathered, and how often is swept where there are none. */
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
  readonly #dirty = new Map<string, WatchEvent['type']>();
  #subscription: { unsubscribe(): Promise<void> } | undefined;
  #generation = 0;
  #mode: WatcherState['mode'] = 'events';
  #reason: string | null = null;
  #lastEvent: Date | null = null;
  #lastSweep: Date | null = null;
  #gather: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  private constructor(options: WatcherOptions) {
    this.#options = options;
  }

  /** Watches from the moment it returns; start it before the index looks at the disk. */
  static async start(options: WatcherOptions): Promise<Watcher> {
    const watcher = new Watcher(options);
    await watcher.#subscribe();
    const filesystem = REMOTE.get(Number((await statfs(options.root)).type));
    if (filesystem !== undefined) {
      watcher.#sweepBecause(`${filesystem} does not tell what other machines change`);
    }
    watcher.#scheduleSweep();
    return watcher;
  }

  state(): WatcherState {
    return {
      mode: this.#mode,
      reason: this.#reason,
      lastEvent: this.#lastEvent,
      lastSweep: this.#lastSweep,
    };
  }

  async stop(): Promise<void> {
    this.#mode = 'stopped';
    clearTimeout(this.#gather);
    clearTimeout(this.#sweepTimer);
    await this.#working;
    await this.#subscription?.unsubscribe();
  }

  /** Watches anew, so that every folder that is there by now is watched. */
  async #subscribe(): Promise<void> {
    const { root, source } = this.#options;
    const previous = this.#subscription;
    // The library shares subscriptions with equal options; the generation makes a fresh one.
    const ignore = ['.git', '.notes', `.notes/watch-${this.#generation++}`];
    try {
      this.#subscription = await source.subscribe(
        root,
        (error, events) => this.#receive(error, events),
        { ignore },
      );
      if (previous === undefined && this.#mode === 'sweeps') {
        this.#mode = 'events';
        this.#reason = null;
      }
    } catch (error) {
      this.#subscription = undefined;
      this.#sweepBecause(describeError(error));
    }
    await previous?.unsubscribe().catch(() => {});
  }

  #receive(error: Error | null, events: readonly WatchEvent[]): void {
    if (this.#mode === 'stopped') return;
    const { root, gatherMs, now } = this.#options;
    if (error !== null) this.#lose(describeError(error));
    for (const { path: absolute, type } of events) {
      if (absolute === root && type === 'delete') this.#lose('the vault was moved or removed');
      const path = absolute.slice(root.length + 1);
      if (pathProblem(path) !== undefined) continue;
      const earlier = this.#dirty.get(path) ?? type;
      this.#dirty.set(path, earlier === type ? type : 'update');
    }
    if (this.#dirty.size === 0) return;
    this.#lastEvent = new Date(now());
    this.#gather ??= setTimeout(() => {
      this.#gather = undefined;
      this.#enqueue(() => this.#handle());
    }, gatherMs);
  }

  async #handle(): Promise<void> {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    const changed = new Set<VaultPath>();
    const removed = new Set<VaultPath>();
    const folders: VaultPath[] = [];
    for (const [path, type] of dirty as [VaultPath, WatchEvent['type']][]) {
      const found = await this.#look(path);
      if (found?.isDirectory()) {
        folders.push(path);
        if (type === 'update') removed.add(path);
      } else if (!this.#options.own.has(path, found && stampOf(found))) {
        if (found?.isFile()) changed.add(path);
        else removed.add(path);
      }
    }
    for (const path of await this.#enter(folders)) changed.add(path);
    const { listener } = this.#options;
    if (removed.size > 0) await listener.removed([...removed]);
    if (changed.size > 0) await listener.changed([...changed]);
    if (dirty.length >= BURST) await this.#sweep();
  }

  /** Makes sure that new folders are watched and gives the files in them that are not ours. */
  async #enter(folders: readonly VaultPath[]): Promise<VaultPath[]> {
    if (folders.length === 0) return [];
    const { root, source, own } = this.#options;
    try {
      for (const folder of folders) source.tryWatch(join(root, folder));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#sweepBecause(describeError(error));
    }
    if (await this.#haveFolders(folders)) await this.#subscribe();
    const entered: VaultPath[] = [];
    for (const folder of folders) {
      for (const { path } of await listFiles(root, folder)) {
        const found = await this.#look(path);
        if (found !== undefined && !own.has(path, stampOf(found))) entered.push(path);
      }
    }
    return entered;
  }

  async #haveFolders(folders: readonly string[]): Promise<boolean> {
    for (const folder of folders) {
      const entries = await readdir(join(this.#options.root, folder), {
        withFileTypes: true,
      }).catch(() => []);
      if (entries.some((entry) => entry.isDirectory())) return true;
    }
    return false;
  }

  #look(path: string): Promise<BigIntStats | undefined> {
    return lstat(join(this.#options.root, path), { bigint: true }).catch(() => undefined);
  }

  /** Events have ended; sweeps go on until a new subscription succeeds. */
  #lose(reason: string): void {
    const lost = this.#subscription;
    this.#subscription = undefined;
    lost?.unsubscribe().catch(() => {});
    this.#sweepBecause(reason);
  }

  #sweepBecause(reason: string): void {
    if (this.#mode === 'stopped') return;
    const mode = this.#subscription === undefined ? 'sweeps' : 'events_and_sweeps';
    if (this.#mode === mode && this.#reason === reason) return;
    this.#mode = mode;
    this.#reason = reason;
    this.#options.log.warn('watcher_degraded', { mode, reason });
    this.#scheduleSweep();
  }

  #scheduleSweep(tookMs = 0): void {
    if (this.#mode === 'stopped') return;
    const { sweepMs } = this.#options;
    const pause = this.#mode === 'events' ? sweepMs * SAFETY : Math.max(sweepMs, tookMs * SAFETY);
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = setTimeout(() => {
      this.#enqueue(async () => {
        const begun = performance.now();
        if (this.#subscription === undefined) await this.#subscribe();
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
      .then(() => (this.#mode === 'stopped' ? undefined : work()))
      .catch((error) => {
        this.#options.log.error('watcher_problem', { message: describeError(error) });
        this.#scheduleSweep();
      });
  }
}
