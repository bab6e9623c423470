/** Which files of the vaults may be written, and whether a vault can be written at all. */
import { accessSync, constants } from 'node:fs';
import type { AppliedChange, ChangeRequest, Changes } from '../changes/change-types.ts';
import { errorCode, StorageError } from '../files/storage-error.ts';
import { spellingKey } from '../files/vault-path.ts';
import { matchesGlob } from '../index/store/glob.ts';

export interface WritePolicy {
  /** Nothing is written, whatever `folders` says. */
  readonly readOnly?: boolean;
  /** Patterns such as `Inbox/**`; absent if every file may be written. */
  readonly folders?: readonly string[];
}

/** Throws `read_only`; ignores letter case, as paths do. */
export function checkMayWrite({ folders }: WritePolicy, path: string): void {
  const key = spellingKey(path);
  if (folders?.some((folder) => matchesGlob(spellingKey(folder), key)) ?? true) return;
  const allowed = folders!.join(', ').slice(0, 200);
  const message = `"${path}" may not be written here, only ${allowed}; choose a path there`;
  throw new StorageError('read_only', message, { path, writable: folders });
}

/** Whether the directory can be written; other problems than a lack of permission are left alone. */
export function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch (error) {
    return !['EROFS', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

/** The changes of a vault that is only read. */
export class NoChanges implements Changes {
  run<T>(_: ChangeRequest): Promise<AppliedChange & { readonly value: T }> {
    return Promise.reject(new StorageError('read_only', READ_ONLY));
  }

  undo(): Promise<AppliedChange> {
    return Promise.reject(new StorageError('read_only', READ_ONLY));
  }
}

const READ_ONLY = 'the vault is served read-only; only tools that read work here';
