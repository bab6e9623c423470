/**
 * Reads the files of a vault for the index, synchronously. Prevents it from following symbolic
 * links (CWE-59): a directory stays open by descriptor while its files are read, so replacing it by
 * a link has no effect. Pipes and hidden files are not read.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Directory, openFolder } from '../../files/directory.ts';
import { errorCode } from '../../files/storage-error.ts';
import { isNote, pathProblem } from '../../files/vault-path.ts';
import { isLinkingFile } from '../../links/linking-file.ts';
import { MAX_INDEXED_BYTES } from './indexed-note.ts';
import type { FoundFile } from './prepared-file.ts';

const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NO_STAMP = { size: 0, mtimeMs: 0 };

/** Every file below a folder, lazily, so that the caller can pause. */
export function* listFiles(root: string, folder = ''): Generator<FoundFile> {
  const directory =
    folder === ''
      ? Directory.openRoot(root)
      : unlessTransient(() => openFolder(root, folder), undefined);
  if (directory) yield* listDirectory(directory);
}

/** Visits every file, yielding to other work; returns whether it reached the end. */
export async function visitFiles(
  root: string,
  visit: (file: FoundFile) => void,
  sliceMs: number,
  isStopped: () => boolean,
): Promise<boolean> {
  let since = performance.now();
  for (const file of listFiles(root)) {
    visit(file);
    if (performance.now() - since < sliceMs) continue;
    await setImmediate();
    if (isStopped()) return false;
    since = performance.now();
  }
  return !isStopped();
}

function* listDirectory(directory: Directory): Generator<FoundFile> {
  const children: string[] = [];
  try {
    for (const entry of entriesOf(directory)) {
      const path = directory.path(entry.name);
      const problem = pathProblem(path);
      if (problem?.code === 'path_hidden') continue;
      if (entry.isDirectory()) {
        if (!problem) children.push(entry.name);
        else yield { path: notesIn(path), ...NO_STAMP, unreadable: problem.message };
      } else if (problem || entry.isSymbolicLink()) {
        const unreadable = problem?.message ?? 'a symbolic link: links are not followed';
        if (isNote(path)) yield { path: path.toWellFormed(), ...NO_STAMP, unreadable };
      } else if (entry.isFile()) {
        const stats = statsOf(directory, entry.name);
        if (stats) yield { path, size: stats.size, mtimeMs: stats.mtimeMs };
      }
    }
    for (const name of children) {
      const child = openChild(directory, name);
      if (child) yield* listDirectory(child);
    }
  } finally {
    directory.close();
  }
}

/** Stands for the notes of a folder whose name is no valid path, so that they are reported. */
function notesIn(folder: string): string {
  return `${folder.toWellFormed()}/*.md`;
}

/** An unreadable folder counts as empty; an unreadable vault is an error. */
function entriesOf(directory: Directory): Dirent[] {
  const list = () => readdirSync(directory.self(), { withFileTypes: true });
  return directory.folder === '' ? list() : unlessTransient(list, []);
}

function statsOf(directory: Directory, name: string): Stats | undefined {
  return unlessTransient(() => lstatSync(directory.at(name), { throwIfNoEntry: false }), undefined);
}

function openChild(directory: Directory, name: string): Directory | undefined {
  return unlessTransient(() => directory.child(name), undefined);
}

/** Shortages of the process or the machine, which are not about the file. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** A transient error must fail the build: otherwise all files of the folder would be removed. */
function unlessTransient<T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EIO' || SHORTAGES.has(code ?? '')) throw error;
    return otherwise;
  }
}

/** Reads files by path; keeps the last folder open. */
export class VaultFiles {
  readonly #root: string;
  #folder: string | undefined;
  #directory: Directory | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Undefined if there is no file. */
  read(path: string): FoundFile | undefined {
    const problem = pathProblem(path);
    if (problem?.code === 'path_hidden') return undefined;
    if (problem) return { path, ...NO_STAMP, unreadable: problem.message };
    const slash = path.lastIndexOf('/');
    let file: number | undefined;
    try {
      const directory = this.#open(path.slice(0, Math.max(0, slash)));
      if (!directory) return undefined;
      const place = directory.at(path.slice(slash + 1));
      if (!isNote(path) && !isLinkingFile(path)) {
        const stats = lstatSync(place, { throwIfNoEntry: false });
        return stats?.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : undefined;
      }
      file = openSync(place, OPEN_FILE);
      const stats = fstatSync(file);
      if (!stats.isFile()) return undefined;
      const found = { path, size: stats.size, mtimeMs: stats.mtimeMs };
      return stats.size > MAX_INDEXED_BYTES
        ? found
        : { ...found, bytes: readAll(file, stats.size) };
    } catch (error) {
      return unreadable(path, error);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  close(): void {
    this.#directory?.close();
    this.#directory = undefined;
    this.#folder = undefined;
  }

  #open(folder: string): Directory | undefined {
    if (this.#folder !== folder) {
      this.close();
      this.#directory = openFolder(this.#root, folder);
      this.#folder = folder;
    }
    return this.#directory;
  }
}

function unreadable(path: string, error: unknown): FoundFile | undefined {
  const code = errorCode(error) ?? 'unknown';
  if (SHORTAGES.has(code)) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'path_invalid') return undefined;
  if (code === 'ELOOP')
    return { path, ...NO_STAMP, unreadable: 'a symbolic link: links are not followed' };
  return { path, ...NO_STAMP, unreadable: `it cannot be read: ${code}` };
}

function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(file, bytes, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
