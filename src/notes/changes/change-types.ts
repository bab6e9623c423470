/** What a change is made of, as the tools ask for it and as the index and git are told of it. */
import type { StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';

export interface ChangeRequest {
  /** The tool that asks; the first word of the commit message. */
  readonly tool: string;
  /**
   * The notes the change may touch: they are queued for, in order, so that two changes of one
   * note never interleave. `vault` waits for all others and keeps them out.
   */
  readonly scope: readonly VaultPath[] | 'vault';
  /** Everything is read, checked and computed, nothing is written. */
  readonly dryRun?: boolean;
}

export interface ChangedFile {
  readonly path: VaultPath;
  /** Where it was before, when it was moved. */
  readonly from?: VaultPath;
  /** Absent when the change created the file. */
  readonly before?: Buffer;
  /** Absent when the change removed the file; then `trashId` says where it lies. */
  readonly after?: Buffer;
  readonly contentHash?: string;
  readonly mtimeMs?: number;
  readonly executable?: boolean;
  readonly trashId?: string;
}

export interface AppliedChange {
  /** Null for a dry run and for a change that left every byte as it was. */
  readonly changeId: string | null;
  readonly tool: string;
  /** A path that is removed and then made anew stands here twice, in this order. */
  readonly files: readonly ChangedFile[];
  /** The paths at which there was a file before the change and is none after it. */
  readonly gone: readonly VaultPath[];
}

/** For what goes back to where it was: its name is spelt exactly as it is given. */
export interface PutBack {
  /** A twin in another case or composition lay beside it before, and does not take its place. */
  readonly besideTwin: boolean;
}

/** What a change does; nothing reaches the disk before its function has returned. */
export interface Transaction {
  /** Refused with `note_not_found`, and with `hash_mismatch` when the hash is not the note's. */
  read(path: VaultPath, contentHash?: string): Promise<StoredFile>;
  find(path: VaultPath): Promise<StoredFile | undefined>;
  write(path: VaultPath, bytes: Buffer, contentHash?: string): Promise<void>;
  /** Refused with `note_exists`, also where a twin in another case or composition exists. */
  create(path: VaultPath, bytes: Buffer): Promise<VaultPath>;
  move(from: VaultPath, to: VaultPath, putBack?: PutBack): Promise<VaultPath>;
  /** Moves a folder with everything in it; the result says where each file goes. */
  moveFolder(
    from: VaultPath,
    to: VaultPath,
    putBack?: PutBack,
  ): Promise<{ from: VaultPath; to: VaultPath }[]>;
  /** Moves the file into the trash, where it is kept as the file of `was`, and gives its id there. */
  remove(path: VaultPath, was?: VaultPath): Promise<string>;
  restore(trashId: string, to?: VaultPath, putBack?: PutBack): Promise<VaultPath>;
  /** The id of a file that was at this path and has this content, where one lies in the trash. */
  trashIdOf(path: VaultPath, contentHash: string): Promise<string | undefined>;
}

export interface Changes {
  run<T>(
    request: ChangeRequest,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<AppliedChange & { readonly value: T }>;
  /** Refused with `undo_expired` or, where a file has changed since, `undo_conflict`. */
  undo(changeId: string, dryRun?: boolean): Promise<AppliedChange>;
}

/** Told after the bytes are safe; the answer to the caller waits for it, a failure is logged. */
export type ChangeListener = (change: AppliedChange) => void | Promise<void>;
