/**
 * Rollback of a change that failed or, at the next start, was killed. It decides by what is on
 * disk, not by how far the change had come, and leaves files alone that were changed from outside.
 * Such a path, or one that is no longer a file in the vault, does not stop the rollback of the
 * others.
 */
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commitOver, discard, prepare } from '../files/atomic-write.ts';
import { type Directory, openParent } from '../files/directory.ts';
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

/** Returns the paths that were left alone because someone else has changed them. */
export async function revertChange(root: string, record: BeginRecord): Promise<string[]> {
  const touched = new Set<string>();
  const left: string[] = [];
  for (const [index, operation] of [...record.operations.entries()].reverse()) {
    const temporary = temporaryName(record.id, `${index}r`);
    const reverted = await unlessReplaced(false, () =>
      operation.kind === 'move'
        ? moveBack(root, operation, touched)
        : writeBack(root, operation, temporary, touched),
    );
    if (!reverted) left.push(operation.kind === 'move' ? operation.to : operation.path);
  }
  removeTemporaries(root, record);
  await syncFolders(root, touched);
  removeFolders(root, record.folders);
  return left;
}

/**
 * Whether every operation was applied. They are applied in order, so the last one decides; if its
 * file was changed from outside since, the change is complete when no operation is left to apply.
 */
export async function isComplete(root: string, record: BeginRecord): Promise<boolean> {
  const last = record.operations.at(-1);
  if (last === undefined) return true;
  return unlessReplaced(false, async () => {
    if (await isApplied(root, last)) return true;
    for (const [index, operation] of record.operations.entries()) {
      if (await isUnapplied(root, operation, temporaryName(record.id, index))) return false;
    }
    return true;
  });
}

async function isApplied(root: string, operation: Operation): Promise<boolean> {
  if (operation.kind === 'move') return exists(root, operation.to) && !exists(root, operation.from);
  return (await readStoredFile(root, operation.path))?.contentHash === operation.afterHash;
}

/** Whether its target is unchanged, or its temporary file still exists. */
async function isUnapplied(
  root: string,
  operation: Operation,
  temporary: string,
): Promise<boolean> {
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
  using directory = openParent(root, path);
  return directory && lstatSync(directory.at(basename(path)), { throwIfNoEntry: false })?.ino;
}

export function removeTemporaries(root: string, record: BeginRecord): void {
  for (const [index, operation] of record.operations.entries()) {
    if (operation.kind === 'move') continue;
    using directory = parentOf(root, operation.path);
    if (directory === undefined) continue;
    discard(directory, temporaryName(record.id, index));
    discard(directory, temporaryName(record.id, `${index}r`));
    // The name that earlier versions used.
    discard(directory, `${temporaryName(record.id, index)}r`);
  }
}

/** Removes the empty ones of the folders that a change created, innermost first. */
export function removeFolders(root: string, folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) {
    using directory = parentOf(root, folder);
    try {
      if (directory?.has(basename(folder))) rmdirSync(directory.at(basename(folder)));
    } catch {
      // Not empty: it is in use.
    }
  }
}

/** A StorageError means that someone replaced the path; a system error may be transient. */
async function unlessReplaced<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) return otherwise;
    throw error;
  }
}

/** Undefined also where the parent is no longer a folder of the vault. */
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
  using to = openParent(root, operation.to);
  const target = basename(operation.to);
  const there = to && lstatSync(to.at(target), { throwIfNoEntry: false });
  if (to === undefined || there === undefined) return true;
  using from = makeFolders(root, operation.from, touched);
  const name = basename(operation.from);
  const source = lstatSync(from.at(name), { throwIfNoEntry: false });
  touched.add(from.folder).add(to.folder);
  if (source !== undefined) {
    if (source.ino === there.ino && there.isFile()) unlinkSync(to.at(target));
    return true;
  }
  if (!(await isWhatWasMoved(root, operation, there.ino))) return false;
  moveEntry(to, target, from, name, there.isDirectory());
  moveTouched(touched, operation.to, operation.from);
  return true;
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
  using parent = openParent(root, operation.path);
  if (parent === undefined) return false;
  const name = basename(operation.path);
  touched.add(parent.folder);
  if (operation.before === undefined) {
    unlinkSync(parent.at(name));
    return true;
  }
  // An interrupted rollback may have left it.
  discard(parent, temporary);
  await prepare(parent, temporary, operation.before, current.mode);
  return commitOver(parent, temporary, name, current.stamp) !== undefined;
}
