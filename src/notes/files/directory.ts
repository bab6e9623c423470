/**
 * Prevents symbolic links from leading a read or a write out of a vault (CWE-59), including a
 * directory replaced by a link between check and use (TOCTOU, CWE-367).
 *
 * A path is walked from the vault root one directory at a time. Each directory is opened without
 * following links and addressed by its descriptor from then on: `at(name)` is
 * `/proc/self/fd/N/name`, the openat of Linux. Without /proc, `at` compares the directory at the
 * plain path with the open descriptor before each use.
 *
 * The walk is synchronous, so it cannot interleave with another operation of this process.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, StorageError } from './storage-error.ts';
import { spellingKey } from './vault-path.ts';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const fsyncAsync = promisify(fsync);
const HAS_PROC = existsSync('/proc/self/fd');

/** Close it, or declare it with `using`. */
export class Directory implements Disposable {
  readonly fd: number;
  /** Path relative to the vault, as spelt on disk; empty for the vault root. */
  readonly folder: string;
  readonly #root: string;

  private constructor(fd: number, root: string, folder: string) {
    this.fd = fd;
    this.folder = folder;
    this.#root = root;
  }

  static openRoot(root: string): Directory {
    try {
      return new Directory(openSync(root, OPEN_DIRECTORY), root, '');
    } catch (error) {
      throw notADirectory(error, basename(root));
    }
  }

  /** A path to `name` in this directory that stays valid when the directory is moved. */
  at(name: string): string {
    if (HAS_PROC) return `/proc/self/fd/${this.fd}/${name}`;
    const open = fstatSync(this.fd);
    const path = join(this.#root, this.folder);
    const found = lstatSync(path);
    if (open.ino !== found.ino || open.dev !== found.dev) {
      throw new StorageError(
        'storage_error',
        'a directory was moved during the operation; try again',
      );
    }
    return join(path, name);
  }

  /** The vault path of an entry. */
  path(name: string): string {
    return this.folder === '' ? name : `${this.folder}/${name}`;
  }

  /** A path of this directory itself, for `readdir`. */
  self(): string {
    return HAS_PROC ? `/proc/self/fd/${this.fd}/.` : this.at('.');
  }

  child(name: string): Directory {
    try {
      return new Directory(openSync(this.at(name), OPEN_DIRECTORY), this.#root, this.path(name));
    } catch (error) {
      throw notADirectory(error, name);
    }
  }

  /** The entry as spelt on disk: the exact name, or one in another Unicode normal form. */
  spelling(name: string): string | undefined {
    if (this.has(name)) return name;
    const wanted = name.normalize('NFC');
    return readdirSync(this.self()).find((entry) => entry.normalize('NFC') === wanted);
  }

  /** An entry that differs from `name` only in case or Unicode form; other systems merge them. */
  twin(name: string): string | undefined {
    const key = spellingKey(name);
    return readdirSync(this.self()).find((entry) => entry !== name && spellingKey(entry) === key);
  }

  /** As `twin`, unless there are several. */
  onlyTwin(name: string): string | undefined {
    const key = spellingKey(name);
    const twins = readdirSync(this.self()).filter((entry) => spellingKey(entry) === key);
    return twins.length === 1 ? twins[0] : undefined;
  }

  has(name: string): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false }) !== undefined;
  }

  /** Makes created, moved and removed entries durable. */
  async sync(): Promise<void> {
    await fsyncAsync(this.fd);
  }

  close(): void {
    closeSync(this.fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The parent directory of `path`; undefined when a segment is missing. */
export function openParent(root: string, path: string): Directory | undefined {
  return walk(root, folderOf(path), () => undefined);
}

/**
 * As `openParent`, creating missing directories. The caller syncs the parents of those in `made`.
 */
export function makeParent(
  root: string,
  path: string,
  made: (folder: string) => void = () => {},
): Directory {
  const directory = walk(root, folderOf(path), (parent, name) => {
    const composed = name.normalize('NFC');
    mkdirSync(parent.at(composed));
    made(parent.path(composed));
    return composed;
  });
  if (directory === undefined) throw new Error('a missing directory was not created');
  return directory;
}

export function openFolder(root: string, folder: string): Directory | undefined {
  return walk(root, folder === '' ? [] : folder.split('/'), () => undefined);
}

function walk(
  root: string,
  names: readonly string[],
  missing: (parent: Directory, name: string) => string | undefined,
): Directory | undefined {
  let current = Directory.openRoot(root);
  for (const name of names) {
    using parent = current;
    const spelt = parent.spelling(name) ?? missing(parent, name);
    if (spelt === undefined) return undefined;
    current = parent.child(spelt);
  }
  return current;
}

function folderOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : folder.split('/');
}

function notADirectory(error: unknown, name: string): unknown {
  const code = errorCode(error);
  if (code !== 'ENOTDIR' && code !== 'ELOOP') return error;
  return new StorageError(
    'path_invalid',
    `"${name}" is a file or a symbolic link, not a folder; links are not followed`,
    { name },
  );
}
