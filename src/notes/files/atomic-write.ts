/**
 * Writing one file so that a reader, a crash or a full disk finds the old bytes or the new ones,
 * never a mixture: a temporary file beside the target, fsync, then one rename (or, for a file that
 * must not exist yet, one link) and fsync of the directory.
 *
 * `prepare` does the slow part, `commit` the instant one. Between the two nothing is visible, so a
 * change over many files prepares them all before it commits the first.
 */
import { close, linkSync, lstatSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { Directory } from './directory.ts';
import { errorCode, StorageError } from './storage-error.ts';
import { type Stamp, sameStamp, stampOf } from './stored-file.ts';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const HOLD = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_HELD = 32;
let held = 0;
/** What filesystems without hard links answer to one. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

export async function prepare(
  directory: Directory,
  temporary: string,
  bytes: Uint8Array,
  mode = 0o644,
): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(directory.at(temporary), CREATE, mode);
    await handle.chmod(mode);
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle?.close().catch(() => {});
    discard(directory, temporary);
    throw error;
  }
}

export function discard(directory: Directory, temporary: string): void {
  rmSync(directory.at(temporary), { force: true });
}

/**
 * Puts a prepared file in the place of the version that was read. Where another version lies by
 * now, it is left alone and the result is undefined.
 */
export function commitOver(
  directory: Directory,
  temporary: string,
  name: string,
  read: Stamp,
): Stamp | undefined {
  const there = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
  if (there === undefined || !sameStamp(stampOf(there), read)) return undefined;
  const release = hold(directory, name);
  try {
    renameSync(directory.at(temporary), directory.at(name));
  } finally {
    release();
  }
  return stampOf(lstatSync(directory.at(name), { bigint: true }));
}

/**
 * A file that nothing holds any longer is freed by the system call that let go of it, which on
 * some disks takes longer than all the rest of a write. Held open, the replaced file is freed when
 * it is closed, in another thread, and the rename is instant. Without a descriptor to spare it is
 * not held.
 */
function hold(directory: Directory, name: string): () => void {
  if (held >= MAX_HELD) return () => {};
  try {
    const fd = openSync(directory.at(name), HOLD);
    held++;
    return () =>
      close(fd, () => {
        held--;
      });
  } catch {
    return () => {};
  }
}

/** Puts a prepared file where there is none; a file that appeared meanwhile is left alone. */
export function commitNew(directory: Directory, temporary: string, name: string): Stamp {
  moveWithin(directory, temporary, directory, name);
  return stampOf(lstatSync(directory.at(name), { bigint: true }));
}

/** Moves a file without ever replacing another. */
export function moveWithin(from: Directory, name: string, to: Directory, newName: string): void {
  try {
    linkSync(from.at(name), to.at(newName));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw occupied(newName);
    if (code === undefined || !NO_LINKS.has(code)) throw error;
    if (to.has(newName)) throw occupied(newName);
    renameSync(from.at(name), to.at(newName));
    return;
  }
  unlinkSync(from.at(name));
}

function occupied(name: string): StorageError {
  return new StorageError('note_exists', `"${name}" exists already; choose another path`, { name });
}
