/**
 * Why a vault operation failed. docs/notes.md lists the codes; the message may be shown to a
 * caller; the cause is for the log alone.
 */
export type StorageErrorCode =
  | 'vault_unknown'
  | 'vault_exists'
  | 'vault_name_invalid'
  | 'remote_needs_vault'
  | 'path_invalid'
  | 'path_hidden'
  | 'read_only'
  | 'not_utf8'
  | 'too_large'
  | 'storage_error'
  | 'note_not_found'
  | 'note_exists'
  | 'hash_mismatch'
  | 'versioning_off'
  | 'revision_not_found'
  | 'trash_expired'
  | 'undo_conflict'
  | 'undo_expired';

export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: StorageErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageError';
    this.code = code;
    this.data = data;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up; free some space and try again',
  EFBIG: 'the file would grow past the size the system allows; split it and try again',
  EACCES: 'permission denied; give the directory to the user the server runs as',
  EPERM: 'permission denied; give the directory to the user the server runs as',
  EROFS: 'the filesystem is read-only; mount it writable and try again',
  ENOENT: 'a file or folder was removed or renamed meanwhile; list the folder and try again',
  ENOTDIR: 'a folder on the way was replaced by a file; list the folder and try again',
  EISDIR: 'a folder is where the file should be; choose another path',
  ENOTEMPTY: 'files were added to the folder meanwhile; try again',
  ENAMETOOLONG: 'the name is longer than the filesystem allows; use a shorter one',
  EIO: 'the disk reported an error; check its health and the system log',
  EXDEV: 'the vault spans two filesystems; keep a vault on one',
  EMFILE: 'too many open files; try again, or raise the limit of open files',
  ENFILE: 'too many open files; try again, or raise the limit of open files',
};

export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Wraps a system error as `read_only` or `storage_error`; a StorageError stays as it is. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = errorCode(error) ?? 'unknown';
  const reason = REASONS[code] ?? `the filesystem failed with ${code}; see the server log`;
  const kind = code === 'EROFS' ? 'read_only' : 'storage_error';
  return new StorageError(kind, reason, { errno: code }, error);
}

export function noteNotFound(path: string): StorageError {
  return new StorageError('note_not_found', `there is no "${path}"; note_search finds notes`, {
    path,
  });
}
