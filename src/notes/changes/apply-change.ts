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
import { openParent, using } from '../files/directory.ts';
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
  /** The new content of a write. */
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
    const parent = openParent(root, path);
    if (parent === undefined) throw changedSince(path);
    const name = temporaryName(id, index);
    await using(parent, (directory) =>
      prepare(directory, name, material.bytes!, material.mode, isSyncedFirst),
    );
  });
  for (const [index, material] of materials.entries()) {
    const { operation, bytes, read } = material;
    if (operation.kind === 'move') {
      await move(root, operation, stamps.get(operation.from) ?? read, touched, () => {
        const { from, to } = operation;
        for (const moved of [{ from, to, read }, ...(material.inside ?? [])]) {
          const stamp = stamps.get(moved.from) ?? moved.read;
          stamps.delete(moved.from);
          onWrite(moved.from, undefined);
          if (stamp === undefined) continue;
          stamps.set(moved.to, stamp);
          onWrite(moved.to, stamp);
        }
      });
      continue;
    }
    const parent =
      read === undefined
        ? makeFolders(root, operation.path, touched)
        : openParent(root, operation.path);
    if (parent === undefined) throw changedSince(operation.path);
    await using(parent, async (directory) => {
      const temporary = temporaryName(id, index);
      const name = basename(operation.path);
      touched.add(directory.folder);
      if (read === undefined) await prepare(directory, temporary, bytes!, material.mode);
      const stamp =
        read === undefined
          ? commitNew(directory, temporary, name)
          : commitOver(directory, temporary, name, read);
      if (stamp === undefined) throw changedSince(operation.path);
      stamps.set(operation.path, stamp);
      onWrite(operation.path, stamp);
      if (!isSyncedFirst) await syncFile(directory, name);
    });
  }
  await syncFolders(root, touched);
  return stamps;
}

async function move(
  root: string,
  operation: MoveOperation,
  expected: Stamp | undefined,
  touched: Set<string>,
  moved: () => void,
): Promise<void> {
  const from = openParent(root, operation.from);
  if (from === undefined) throw changedSince(operation.from);
  await using(from, async () => {
    await using(makeFolders(root, operation.to, touched), async (to) => {
      const name = basename(operation.from);
      const current = lstatSync(from.at(name), { bigint: true, throwIfNoEntry: false });
      const same = operation.folder
        ? current?.isDirectory() && String(current.ino) === operation.folder
        : current?.isFile() && expected && sameStamp(stampOf(current), expected);
      if (!same) throw changedSince(operation.from);
      moveEntry(from, name, to, basename(operation.to), operation.folder !== undefined);
      moved();
      moveTouched(touched, operation.from, operation.to);
      touched.add(from.folder).add(to.folder);
    });
  });
}

function changedSince(path: string): StorageError {
  return new StorageError('hash_mismatch', 'the note was changed by someone else; read it again', {
    path,
  });
}
