/**
 * Taking back the operations of a change that failed or, at the next start, was killed. It looks at
 * what is on disk, not at how far the change says it came, and leaves alone what someone else has
 * changed meanwhile. A path that is no file any more, or has a link or a file for a folder on its way,
 * counts as such: it keeps nothing else from being taken back.
 */
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commitOver, discard, prepare } from '../files/atomic-write.ts';
import { type Directory, openParent, using } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import { readStoredFile } from '../files/stored-file.ts';
import type { BeginRecord, MoveOperation, Operation, WriteOperation } from './journal-record.ts';
import {
  exists,
  makeFolders,
  moveEntry,
  moveTouched,
  syncFolders,
  temporaryName,
} from './steps.ts';

/** Returns the paths that could not be taken back, because someone else has changed them. */
export async function revertChange(root: string, record: BeginRecord): Promise<string[]> {
  const touched = new Set<string>();
  const left: string[] = [];
  for (const [index, operation] of [...record.operations.entries()].reverse()) {
    const temporary = temporaryName(record.id, `${index}r`);
    const taken = await unlessRefused(false, () =>
      operation.kind === 'move'
        ? moveBack(root, operation, touched)
        : writeBack(root, operation, temporary, touched),
    );
    if (!taken) left.push(operation.kind === 'move' ? operation.to : operation.path);
  }
  removeTemporaries(root, record);
  await syncFolders(root, touched);
  removeFolders(root, record.folders);
  return left;
}

/**
 * Whether every operation was made. They are made in order, so the last one tells; where someone
 * has changed that since, the change was complete if none was left to be made.
 */
export async function isComplete(root: string, record: BeginRecord): Promise<boolean> {
  const last = record.operations.at(-1);
  if (last === undefined) return true;
  return unlessRefused(false, async () => {
    if (await isMade(root, last)) return true;
    for (const [index, operation] of record.operations.entries()) {
      if (await isLeft(root, operation, temporaryName(record.id, index))) return false;
    }
    return true;
  });
}

async function isMade(root: string, operation: Operation): Promise<boolean> {
  if (operation.kind === 'move') return exists(root, operation.to) && !exists(root, operation.from);
  return (await readStoredFile(root, operation.path))?.contentHash === operation.afterHash;
}

/** Whether it still stands as before, or what it would have put in place still lies beside it. */
async function isLeft(root: string, operation: Operation, temporary: string): Promise<boolean> {
  if (operation.kind === 'move') {
    const from = inodeOf(root, operation.from);
    const to = inodeOf(root, operation.to);
    if (from === undefined) return false;
    return to === undefined || to === from || !(await isWhatWasMoved(root, operation, to));
  }
  if (exists(root, join(dirname(operation.path), temporary))) return true;
  return (await readStoredFile(root, operation.path))?.contentHash === operation.beforeHash;
}

function inodeOf(root: string, path: string): number | undefined {
  const directory = openParent(root, path);
  if (directory === undefined) return undefined;
  try {
    return lstatSync(directory.at(basename(path)), { throwIfNoEntry: false })?.ino;
  } finally {
    directory.close();
  }
}

export function removeTemporaries(root: string, record: BeginRecord): void {
  for (const [index, operation] of record.operations.entries()) {
    if (operation.kind === 'move') continue;
    const directory = parentOf(root, operation.path);
    if (directory === undefined) continue;
    discard(directory, temporaryName(record.id, index));
    discard(directory, temporaryName(record.id, `${index}r`));
    // So an earlier version named what it laid there.
    discard(directory, `${temporaryName(record.id, index)}r`);
    directory.close();
  }
}

/** Removes folders that a change made, innermost first, as far as nothing else lies in them. */
export function removeFolders(root: string, folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    const directory = parentOf(root, folder);
    try {
      if (directory?.has(basename(folder))) rmdirSync(directory.at(basename(folder)));
    } catch {
      // Not empty: somebody uses it.
    } finally {
      directory?.close();
    }
  }
}

/** What the vault refuses is what someone has put there; what the system refuses may pass. */
async function unlessRefused<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) return otherwise;
    throw error;
  }
}

/** Undefined also where it is no folder of the vault any more. */
function parentOf(root: string, path: string): Directory | undefined {
  try {
    return openParent(root, path);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

async function moveBack(
  root: string,
  operation: MoveOperation,
  touched: Set<string>,
): Promise<boolean> {
  const to = openParent(root, operation.to);
  if (to === undefined) return true;
  return using(to, async () => {
    const there = lstatSync(to.at(basename(operation.to)), { throwIfNoEntry: false });
    if (there === undefined) return true;
    return using(makeFolders(root, operation.from, touched), async (from) => {
      const name = basename(operation.from);
      const source = lstatSync(from.at(name), { throwIfNoEntry: false });
      touched.add(from.folder).add(to.folder);
      if (source !== undefined) {
        if (source.ino !== there.ino || !there.isFile()) return true;
        unlinkSync(to.at(basename(operation.to)));
        return true;
      }
      if (!(await isWhatWasMoved(root, operation, there.ino))) return false;
      moveEntry(to, basename(operation.to), from, name, there.isDirectory());
      moveTouched(touched, operation.to, operation.from);
      return true;
    });
  });
}

async function isWhatWasMoved(root: string, move: MoveOperation, ino: number): Promise<boolean> {
  if (move.folder !== undefined) return String(ino) === move.folder;
  return (await readStoredFile(root, move.to))?.contentHash === move.hash;
}

async function writeBack(
  root: string,
  operation: WriteOperation,
  temporary: string,
  touched: Set<string>,
): Promise<boolean> {
  const current = await readStoredFile(root, operation.path);
  if (current?.contentHash === operation.beforeHash) return true;
  if (current?.contentHash !== operation.afterHash) return false;
  const parent = openParent(root, operation.path);
  if (parent === undefined) return false;
  return using(parent, async (directory) => {
    const name = basename(operation.path);
    touched.add(directory.folder);
    if (operation.before === undefined) {
      unlinkSync(directory.at(name));
      return true;
    }
    // A taking back that was killed may have left it.
    discard(directory, temporary);
    await prepare(directory, temporary, operation.before, current.mode);
    return commitOver(directory, temporary, name, current.stamp) !== undefined;
  });
}
