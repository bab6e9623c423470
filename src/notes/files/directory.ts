/**
 * Stops a symbolic link from leading a read or a write out of a vault, also when it takes the
 * place of a directory between the check and the use.
 *
 * A path is walked from the vault's root one directory at a time. Each is opened without following
 * links and named from then on by its descriptor, so what was checked is what is used: `at(name)`
 * is `/proc/self/fd/N/name`, the openat of Linux. Where there is no /proc, `at` compares the
 * directory at the plain path with the open descriptor before each use.
 *
 * The walk itself is synchronous: it is a handful of system calls that read cached directory
 * entries, and it cannot interleave with another operation of this process.
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
const fsyncLater = promisify(fsync);
const HAS_PROC = existsSync('/proc/self/fd');

export class Directory {
  readonly fd: number;
  /** Its path below the vault as spelt on disk; empty for the vault itself. */
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

  /** A path that reaches `name` in this very directory, wherever it may have been moved to. */
  at(name: string): string {
    if (HAS_PROC) return `/proc/self/fd/${this.fd}/${name}`;
    const open = fstatSync(this.fd);
    const place = join(this.#root, this.folder);
    const there = lstatSync(place);
    if (open.ino !== there.ino || open.dev !== there.dev) {
      throw new StorageError('storage_error', 'a directory was moved meanwhile; try again');
    }
    return join(place, name);
  }

  /** The path of an entry below the vault. */
  path(name: string): string {
    return this.folder === '' ? name : `${this.folder}/${name}`;
  }

  /** A path for this directory itself, for listing it. */
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

  /** The entry as it is spelt on disk: exactly so, or else composed differently (NFC, NFD). */
  spelling(name: string): string | undefined {
    if (this.has(name)) return name;
    const wanted = name.normalize('NFC');
    return readdirSync(this.self()).find((entry) => entry.normalize('NFC') === wanted);
  }

  /** An entry that differs from `name` in case or composition only; they collide elsewhere. */
  twin(name: string): string | undefined {
    const key = spellingKey(name);
    return readdirSync(this.self()).find((entry) => entry !== name && spellingKey(entry) === key);
  }

  has(name: string): boolean {
    return lstatSync(this.at(name), { throwIfNoEntry: false }) !== undefined;
  }

  /** Returns once every name made, moved or removed in it is safe on disk. */
  async sync(): Promise<void> {
    await fsyncLater(this.fd);
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** The directory that holds `path`, every segment spelt as on disk; undefined when one is missing. */
export function openParent(root: string, path: string): Directory | undefined {
  return walk(root, folderOf(path), () => undefined);
}

/**
 * The same, making the directories that are missing; `made` receives each one's path, whose own
 * parent the caller syncs.
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
  if (directory === undefined) throw new Error('a missing directory was not made');
  return directory;
}

export function openFolder(root: string, folder: string): Directory | undefined {
  return walk(root, folder === '' ? [] : folder.split('/'), () => undefined);
}

/** Runs with the directory open and closes it whatever happens. */
export async function using<T>(
  directory: Directory,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  try {
    return await work(directory);
  } finally {
    directory.close();
  }
}

function walk(
  root: string,
  names: readonly string[],
  missing: (parent: Directory, name: string) => string | undefined,
): Directory | undefined {
  let current = Directory.openRoot(root);
  for (const name of names) {
    const parent = current;
    try {
      const spelt = parent.spelling(name) ?? missing(parent, name);
      if (spelt === undefined) return undefined;
      current = parent.child(spelt);
    } finally {
      parent.close();
    }
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
