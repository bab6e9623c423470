/**
 * One watch per folder of a vault, without hidden folders.
 *
 * A folder is watched before it is listed, so that no entry is missed, and a folder that is moved
 * in is watched recursively. If the system refuses a watch, the others stay, and `refusal` says why
 * until a retry succeeds.
 */
import { type BigIntStats, type Dirent, watch as systemWatch } from 'node:fs';
import { access, constants, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../core/log/log.ts';
import { errorCode } from '../files/storage-error.ts';
import { isBelow } from '../files/vault-path.ts';

/** Calls back with the name of the changed entry; null if the system does not report it. */
export type WatchFolder = (
  directory: string,
  changed: (name: string | null) => void,
  failed: (error: Error) => void,
) => { close(): void };

export const watchFolder: WatchFolder = (directory, changed, failed) => {
  const watcher = systemWatch(directory, (_type, name) => changed(name));
  watcher.on('error', failed);
  return watcher;
};

/** The birth time is needed because some filesystems reuse inode numbers at once. */
export type FolderIdentity = Pick<BigIntStats, 'ino' | 'birthtimeNs'>;

interface Watched extends FolderIdentity {
  readonly watch: { close(): void };
}

export class FolderWatches {
  readonly #root: string;
  readonly #watchFolder: WatchFolder;
  readonly #changed: (path: string) => void;
  readonly #watched = new Map<string, Watched>();
  readonly #unreadable = new Set<string>();
  #refusal: string | undefined;

  constructor(root: string, watchFolder: WatchFolder, changed: (path: string) => void) {
    this.#root = root;
    this.#watchFolder = watchFolder;
    this.#changed = changed;
  }

  get count(): number {
    return this.#watched.size;
  }

  /** Why a folder is not watched; undefined when all are. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Folders that the user of the server may not read. */
  get unreadable(): readonly string[] {
    return [...this.#unreadable].sort();
  }

  /** Whether this very folder is watched, not an earlier one of the same name. */
  has(folder: string, { ino, birthtimeNs }: FolderIdentity): boolean {
    const watched = this.#watched.get(folder);
    return watched?.ino === ino && watched.birthtimeNs === birthtimeNs;
  }

  /**
   * Watches a folder and all below it; existing watches stay. With the vault itself those of folders
   * that are gone end.
   */
  async add(folder: string): Promise<void> {
    if (folder === '') this.#refusal = undefined;
    const former = folder === '' ? new Set(this.#watched.keys()) : new Set<string>();
    this.#forgetUnreadable(folder);
    const folders = [folder];
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      const directory = join(this.#root, next);
      const found = await lstat(directory, { bigint: true }).catch(() => undefined);
      if (!found?.isDirectory()) continue;
      former.delete(next);
      if (!this.has(next, found)) this.#start(next, directory, found);
      const entries = await list(directory).catch((error) => {
        if (errorCode(error) === 'EACCES') this.#unreadable.add(next!);
        return [];
      });
      for (const entry of entries) {
        if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
        folders.push(next === '' ? entry.name : `${next}/${entry.name}`);
      }
    }
    for (const path of former) {
      const found = await lstat(join(this.#root, path)).catch(() => undefined);
      if (!found?.isDirectory()) this.remove(path);
    }
  }

  /** Returns whether the folder, or one below it, was watched. */
  remove(folder: string): boolean {
    this.#forgetUnreadable(folder);
    // Fast path for files. After a refusal, folders below an unwatched one may be watched.
    if (!this.#watched.has(folder) && this.#refusal === undefined) return false;
    let found = false;
    for (const [path, { watch }] of this.#watched) {
      if (path !== folder && !isBelow(path, folder)) continue;
      watch.close();
      this.#watched.delete(path);
      found = true;
    }
    return found;
  }

  close(): void {
    for (const { watch } of this.#watched.values()) watch.close();
    this.#watched.clear();
  }

  #forgetUnreadable(folder: string): void {
    for (const path of this.#unreadable) {
      if (folder === '' || path === folder || isBelow(path, folder)) this.#unreadable.delete(path);
    }
  }

  #start(folder: string, directory: string, { ino, birthtimeNs }: FolderIdentity): void {
    this.#watched.get(folder)?.watch.close();
    this.#watched.delete(folder);
    try {
      const watch = this.#watchFolder(
        directory,
        (name) =>
          this.#changed(name === null ? folder : folder === '' ? name : `${folder}/${name}`),
        (error) => this.#lose(folder, error),
      );
      this.#watched.set(folder, { ino, birthtimeNs, watch });
    } catch (error) {
      // The next sweep retries; reporting a change here would end in the same refusal.
      if (errorCode(error) !== 'ENOENT') this.#refusal = describeError(error);
    }
  }

  #lose(folder: string, error: unknown): void {
    this.#watched.get(folder)?.watch.close();
    this.#watched.delete(folder);
    this.#refusal = describeError(error);
    this.#changed(folder);
  }
}

/** Throws EACCES also for a folder that can be listed but not entered. */
async function list(directory: string): Promise<Dirent[]> {
  await access(directory, constants.R_OK | constants.X_OK);
  return readdir(directory, { withFileTypes: true });
}
