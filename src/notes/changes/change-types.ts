/** A change as the tools request it, and as its listeners (the index, git) receive it. */
import type { StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';

export interface ChangeRequest {
  /** The tool that requests it; the first word of the commit message. */
  readonly tool: string;
  /** The notes the change may access; it locks them, or all notes with `vault`. */
  readonly scope: readonly VaultPath[] | 'vault';
  /** Reads, checks and computes everything; writes nothing. */
  readonly dryRun?: boolean;
}

export interface ChangedFile {
  readonly path: VaultPath;
  readonly from?: VaultPath;
  /** Absent when the change created the file. */
  readonly before?: Buffer;
  /** Absent when the change removed the file into the trash, as `trashId`. */
  readonly after?: Buffer;
  readonly contentHash?: string;
  readonly mtimeMs?: number;
  readonly executable?: boolean;
  readonly trashId?: string;
}

export interface AppliedChange {
  /** Null for a dry run and for a change that altered nothing. */
  readonly changeId: string | null;
  readonly tool: string;
  /** A path that is removed and then created again is listed twice, in this order. */
  readonly files: readonly ChangedFile[];
  /** The paths that had a file before the change and have none after it. */
  readonly gone: readonly VaultPath[];
}

/** Restores a file to its old path, spelt exactly as given. */
export interface PutBack {
  /** It had a twin (a name in another case or Unicode form), which does not occupy its path. */
  readonly besideTwin: boolean;
}

/** The operations of a change; nothing is written before the `work` function has returned. */
export interface Transaction {
  /** Throws `note_not_found`, and `hash_mismatch` for another hash than the note's. */
  read(path: VaultPath, contentHash?: string): Promise<StoredFile>;
  find(path: VaultPath): Promise<StoredFile | undefined>;
  /** Throws `not_utf8` for a note in another encoding. */
  write(path: VaultPath, bytes: Buffer, contentHash?: string): Promise<void>;
  /** Gives a file earlier bytes back, in any encoding. */
  putBack(path: VaultPath, bytes: Buffer): Promise<void>;
  /** Throws `note_exists`, also for a twin in another case or Unicode form. */
  create(path: VaultPath, bytes: Buffer): Promise<VaultPath>;
  move(from: VaultPath, to: VaultPath, putBack?: PutBack): Promise<VaultPath>;
  /** Moves a folder with its content; returns the old and new path of each file. */
  moveFolder(
    from: VaultPath,
    to: VaultPath,
    putBack?: PutBack,
  ): Promise<{ from: VaultPath; to: VaultPath }[]>;
  /** Moves the file into the trash, with `was` as its original path; returns the trash id. */
  remove(path: VaultPath, was?: VaultPath): Promise<string>;
  restore(trashId: string, to?: VaultPath, putBack?: PutBack): Promise<VaultPath>;
  /** The newest trash entry with this original path and this content. */
  trashIdOf(path: VaultPath, contentHash: string): Promise<string | undefined>;
}

export interface Changes {
  run<T>(
    request: ChangeRequest,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<AppliedChange & { readonly value: T }>;
  /** Throws `undo_expired` or, if a file has changed since, `undo_conflict`. */
  undo(changeId: string, dryRun?: boolean): Promise<AppliedChange>;
}

/** Called when the change is durable; the caller's answer waits for it, a failure is logged. */
export type ChangeListener = (change: AppliedChange) => void | Promise<void>;
