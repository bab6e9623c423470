/**
 * Applies the operations of a change.
 *
 * The new contents of all existing files are prepared before the first is put in place, so a full
 * disk fails the change before anything is visible. A file that was changed from outside since it
 * was read is left alone and fails the change.
 */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { commitNew, commitOver, prepare, syncFile } from '../files/atomic-write.ts';
import { openParent } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import { type Stamp, sameStamp, stampOf } from '../files/stored-file.ts';
import type { MoveOperation, Operation, WriteOperation } from './journal-record.ts';
import {
  inParallel,
  makeFolders,
  moveEntry,
  moveTouched,
  syncFolders,
  temporaryName,
} from './steps.ts';

/** What an operation needs beyond its journal record. */
export interface Material {
  readonly operation: Operation;
  readonly bytes?: Buffer;
  readonly mode?: number;
  /** The version of the overwritten or moved file that was read. */
  readonly read?: Stamp;
  /** The files that move with a folder. */
  readonly inside?: readonly MovedFile[];
}

export interface MovedFile {
  readonly from: string;
  readonly to: string;
  readonly read?: Stamp;
}

/** Called when a path is written or, with an undefined stamp, vacated. */
export type OnWrite = (path: string, stamp: Stamp | undefined) => void;

/** Returns the stamps of the files written or moved, by their new paths. */
export async function applyChange(
  root: string,
  id: string,
  materials: readonly Material[],
  onWrite: OnWrite,
  isSyncedFirst = true,
): Promise<Map<string, Stamp>> {
  const touched = new Set<string>();
  const stamps = new Map<string, Stamp>();
  const overwrites = [...materials.entries()].filter(([, { read, bytes }]) => bytes && read);
  await inParallel(overwrites, async ([index, material]) => {
    const { path } = material.operation as WriteOperation;
    using parent = openParent(root, path);
    if (parent === undefined) throw changedSince(path);
    const name = temporaryName(id, index);
    await prepare(parent, name, material.bytes!, material.mode, isSyncedFirst);
  });
  for (const [index, material] of materials.entries()) {
    const { operation, bytes, read } = material;
    if (operation.kind === 'move') {
      const { from, to } = operation;
      move(root, operation, stamps.get(from) ?? read, touched);
      for (const moved of [{ from, to, read }, ...(material.inside ?? [])]) {
        const stamp = stamps.get(moved.from) ?? moved.read;
        stamps.delete(moved.from);
        onWrite(moved.from, undefined);
        if (stamp === undefined) continue;
        stamps.set(moved.to, stamp);
        onWrite(moved.to, stamp);
      }
      continue;
    }
    const { path } = operation;
    using parent = read === undefined ? makeFolders(root, path, touched) : openParent(root, path);
    if (parent === undefined) throw changedSince(path);
    const temporary = temporaryName(id, index);
    const name = basename(path);
    touched.add(parent.folder);
    if (read === undefined) await prepare(parent, temporary, bytes!, material.mode);
    const stamp =
      read === undefined
        ? commitNew(parent, temporary, name)
        : commitOver(parent, temporary, name, read);
    if (stamp === undefined) throw changedSince(path);
    stamps.set(path, stamp);
    onWrite(path, stamp);
    if (!isSyncedFirst) await syncFile(parent, name);
  }
  await syncFolders(root, touched);
  return stamps;
}

/** Synchronous: no event of the watcher is handled before the caller has recorded the move. */
function move(
  root: string,
  operation: MoveOperation,
  expected: Stamp | undefined,
  touched: Set<string>,
): void {
  using from = openParent(root, operation.from);
  if (from === undefined) throw changedSince(operation.from);
  using to = makeFolders(root, operation.to, touched);
  const name = basename(operation.from);
  const current = lstatSync(from.at(name), { bigint: true, throwIfNoEntry: false });
  const same = operation.folder
    ? current?.isDirectory() && String(current.ino) === operation.folder
    : current?.isFile() && expected && sameStamp(stampOf(current), expected);
  if (!same) throw changedSince(operation.from);
  moveEntry(from, name, to, basename(operation.to), operation.folder !== undefined);
  moveTouched(touched, operation.from, operation.to);
  touched.add(from.folder).add(to.folder);
}

function changedSince(path: string): StorageError {
  return new StorageError('hash_mismatch', 'the note was changed by someone else; read it again', {
    path,
  });
}
