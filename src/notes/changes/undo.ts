/**
 * Undo: the inverse of a change, applied as a new change. Written files get their bytes back, moved
 * ones return, created ones go to the trash. If any file is no longer as the change left it,
 * nothing is undone (`undo_conflict`).
 */
import { StorageError } from '../files/storage-error.ts';
import type { VaultPath } from '../files/vault-path.ts';
import type { Transaction } from './change-types.ts';
import type { BeginRecord, MoveOperation, WriteOperation } from './journal-record.ts';
import { IN_TRASH } from './trash.ts';

export async function undoOperations(transaction: Transaction, record: BeginRecord): Promise<void> {
  for (const operation of [...record.operations].reverse()) {
    if (operation.kind === 'write') await undoWrite(transaction, operation);
    else await undoMove(transaction, operation);
  }
}

async function undoWrite(transaction: Transaction, operation: WriteOperation): Promise<void> {
  const path = operation.path as VaultPath;
  await unchanged(transaction, path, operation.afterHash);
  if (operation.before === undefined) await transaction.remove(path);
  else await transaction.putBack(path, operation.before);
}

async function undoMove(transaction: Transaction, operation: MoveOperation): Promise<void> {
  const from = operation.from as VaultPath;
  const to = operation.to as VaultPath;
  const putBack = { besideTwin: operation.twin === true };
  const trashed = IN_TRASH.exec(to)?.[1];
  try {
    if (trashed !== undefined) {
      await restoreRemoved(transaction, trashed, operation);
    } else if (operation.folder !== undefined) {
      const moved = await transaction.moveFolder(to, from, putBack);
      await unchangedWithin(transaction, operation, moved);
    } else {
      await unchanged(transaction, to, operation.hash!);
      const was = IN_TRASH.exec(from)?.[2];
      if (was !== undefined) await transaction.remove(to, was as VaultPath);
      else await transaction.move(to, from, putBack);
    }
  } catch (error) {
    if (error instanceof StorageError && error.code === 'note_exists') throw conflict(from);
    if (error instanceof StorageError && error.code === 'note_not_found') throw conflict(to);
    throw error;
  }
}

/** A note that was restored and removed again is in the trash under another id. */
async function restoreRemoved(
  transaction: Transaction,
  trashed: string,
  { from, hash, twin }: MoveOperation,
): Promise<void> {
  const path = from as VaultPath;
  const putBack = { besideTwin: twin === true };
  try {
    await transaction.restore(trashed, path, putBack);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'trash_expired') throw error;
    const other = await transaction.trashIdOf(path, hash!);
    if (other !== undefined) await transaction.restore(other, path, putBack);
    else throw (await transaction.find(path)) === undefined ? expired(path) : conflict(path);
  }
}

/** Throws if a file of the moved folder was added, removed or changed since. */
async function unchangedWithin(
  transaction: Transaction,
  { from, to, files }: MoveOperation,
  moved: readonly { readonly to: VaultPath }[],
): Promise<void> {
  // Records of earlier versions do not list the files.
  if (files === undefined) return;
  const hashes = new Map(files);
  for (const { to: path } of moved) {
    const below = path.slice(from.length + 1);
    const file = await transaction.find(path);
    if (file?.contentHash !== hashes.get(below)) throw conflict(`${to}/${below}`);
    hashes.delete(below);
  }
  for (const below of hashes.keys()) throw conflict(`${to}/${below}`);
}

async function unchanged(transaction: Transaction, path: VaultPath, hash: string): Promise<void> {
  const file = await transaction.find(path);
  if (file?.contentHash !== hash) throw conflict(path);
}

function conflict(path: string): StorageError {
  return new StorageError(
    'undo_conflict',
    `"${path}" has changed since; undo the later change first, or edit the note`,
    { path },
  );
}

function expired(path: string): StorageError {
  return new StorageError(
    'undo_expired',
    `"${path}" is no longer in the trash; note_history may have an earlier revision`,
    { path },
  );
}
