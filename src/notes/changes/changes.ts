/**
 * Every write to a vault, as an atomic change: lock, read, compute, journal, apply, notify.
 *
 * The journal record is durable before the first file is touched and the files are durable before
 * `run` returns, so acknowledged changes survive a crash. A change that fails part-way is rolled
 * back at once, or by a retry before the next change; `recover` rolls back one that was killed.
 */
import { describeError, type Log } from '../../core/log/log.ts';
import { NoteQueue } from '../files/note-queue.ts';
import type { OwnWrites } from '../files/own-writes.ts';
import { hashMismatch, type SeenVersions } from '../files/seen-versions.ts';
import { asStorageError, StorageError } from '../files/storage-error.ts';
import { readStoredFile, type Stamp } from '../files/stored-file.ts';
import { spellingKey } from '../files/vault-path.ts';
import { applyChange, type OnWrite } from './apply-change.ts';
import type {
  AppliedChange,
  ChangedFile,
  ChangeListener,
  ChangeRequest,
  Changes,
  Transaction,
} from './change-types.ts';
import type { Journal } from './journal.ts';
import type { BeginRecord, Operation } from './journal-record.ts';
import { PendingRollbacks } from './pending-rollbacks.ts';
import { isComplete, removeFolders, removeTemporaries, revertChange } from './revert-change.ts';
import { StagedChange } from './staged-change.ts';
import type { Trash } from './trash.ts';
import { undoOperations } from './undo.ts';

export interface ChangesOptions {
  readonly root: string;
  readonly journal: Journal;
  readonly trash: Trash;
  readonly seen: SeenVersions;
  readonly git: boolean;
  readonly log: Log;
  /** Records every write, so that the watcher ignores its events. */
  readonly own: OwnWrites;
  /** Throws `read_only` for a path that may not be written. */
  readonly checkMayWrite?: (path: string) => void;
}

/** An attempt takes some milliseconds, as often as an editor can save. */
const MAX_ATTEMPTS = 100;
const MAX_RETRY_MS = 10_000;
/** Later attempts do not wait for the disk between reading and replacing the note. */
const SYNCED_ATTEMPTS = 5;

export class JournaledChanges implements Changes {
  readonly #options: ChangesOptions;
  readonly #queue = new NoteQueue();
  readonly #rollbacks = new PendingRollbacks((record) => this.#rollBack(record));
  readonly #listeners: ChangeListener[] = [];

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** `cleanUp` follows the change while its locks are held. */
  async run<T>(
    request: ChangeRequest,
    work: (transaction: Transaction) => Promise<T>,
    cleanUp: () => void = () => {},
  ): Promise<AppliedChange & { readonly value: T }> {
    const { scope } = request;
    const locked = async (): Promise<AppliedChange & { readonly value: T }> => {
      try {
        await this.#rollbacks.retry(scope);
        const done = await this.#attempts(request, work);
        cleanUp();
        return done;
      } catch (error) {
        throw isSystemError(error) ? asStorageError(error) : error;
      }
    };
    return scope === 'vault'
      ? this.#queue.vault(locked)
      : this.#queue.notes(scope.map(spellingKey), locked);
  }

  /**
   * An editor that saves while the change is computed only delays it: the change is computed again
   * from the note as it is. `work` refuses with `hash_mismatch` itself if its caller gave a hash.
   */
  async #attempts<T>(
    { tool, scope, dryRun }: ChangeRequest,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<AppliedChange & { readonly value: T }> {
    const { root, trash, seen } = this.#options;
    const deadline = performance.now() + MAX_RETRY_MS;
    for (let attempt = 1; ; attempt++) {
      const staged = new StagedChange(root, trash, seen, scope);
      const value = await work(staged);
      try {
        const isSyncedFirst = attempt <= SYNCED_ATTEMPTS;
        return { ...(await this.#apply(tool, staged, dryRun === true, isSyncedFirst)), value };
      } catch (error) {
        const isRace = error instanceof StorageError && error.code === 'hash_mismatch';
        const isLast = attempt === MAX_ATTEMPTS || performance.now() > deadline;
        if (!isRace || isLast) throw error;
      }
    }
  }

  async undo(changeId: string, dryRun = false): Promise<AppliedChange> {
    const record = await this.#options.journal.find(changeId);
    if (record === undefined) {
      throw new StorageError(
        'undo_expired',
        'the journal has no change with this id; it keeps 30 days, note_history may go back further',
        { change_id: changeId },
      );
    }
    return this.run(
      { tool: 'change_undo', scope: 'vault', dryRun },
      (transaction) => undoOperations(transaction, record),
      () => {
        if (!dryRun) removeFolders(this.#options.root, record.folders);
      },
    );
  }

  /** Rolls back the changes that an earlier process did not finish, unless they are complete. */
  async recover(): Promise<void> {
    const { root, journal, log } = this.#options;
    for (const record of await journal.unfinished()) {
      const atomic = record.operations.length === 1 && record.operations[0]?.kind === 'write';
      const complete = atomic || (await isComplete(root, record));
      const left = complete ? [] : await revertChange(root, record);
      removeTemporaries(root, record);
      await journal.end(record.id, complete ? 'done' : 'reverted', true);
      log.warn('change_recovered', {
        change_id: record.id,
        tool: record.tool,
        outcome: complete ? 'kept' : 'rolled back',
        ...(left.length > 0 && { changed_meanwhile: left }),
      });
    }
  }

  /** Runs `work` while no change is running. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.vault(work);
  }

  /** Resolves when every requested change has ended. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * A note that an editor replaces all the time may be put in place first and synced then, also the
   * journal: after a power failure it is as uncertain as what that editor wrote. It is answered when
   * both are durable.
   */
  async #apply(
    tool: string,
    staged: StagedChange,
    dryRun: boolean,
    mustSyncFirst: boolean,
  ): Promise<AppliedChange> {
    const { materials, folders, files, gone } = staged.plan();
    const { checkMayWrite = () => {} } = this.#options;
    for (const path of [...files.map((file) => file.path), ...gone]) checkMayWrite(path);
    const isSyncedFirst = mustSyncFirst || materials.length > 1 || !materials[0]?.read;
    if (dryRun || materials.length === 0) return { changeId: null, tool, files, gone };
    const { root, journal, git, own } = this.#options;
    const operations = materials.map(({ operation }) => operation);
    const begun = { tool, git, operations, folders };
    const changeId = await journal.begin(begun, isSyncedFirst);
    const written = new Set<string>();
    const onWrite: OnWrite = (path, stamp) => {
      written.add(path);
      own.add(path, stamp);
    };
    let stamps: Map<string, Stamp>;
    try {
      stamps = await applyChange(root, changeId, materials, onWrite, isSyncedFirst);
    } catch (error) {
      await this.#rollbacks.rollBack({ type: 'begin', id: changeId, at: '', ...begun });
      for (const path of written) own.forget(path);
      throw await this.#withDifference(error, operations);
    }
    const mustSync = materials.length > 1 || !isSyncedFirst;
    await journal.end(changeId, 'done', mustSync).catch((error) => {
      if (isSyncedFirst) return this.#warn('journal_end', error);
      // The note is in place, and the listeners are not called: the watcher reports it.
      journal.reported(changeId);
      for (const path of written) own.forget(path);
      throw error;
    });
    const dated = files.map((file) => withDate(file, stamps.get(file.path)));
    const applied = { changeId, tool, files: dated, gone };
    for (const { contentHash, after } of files) {
      if (contentHash && after) this.#options.seen.add(contentHash, after);
    }
    await Promise.all(this.#listeners.map((listener) => this.#notify(listener, applied)));
    journal.reported(changeId);
    return applied;
  }

  async #rollBack(record: BeginRecord): Promise<boolean> {
    const { root, journal } = this.#options;
    try {
      await revertChange(root, record);
    } catch (error) {
      this.#warn('rollback', error);
      return false;
    } finally {
      journal.reported(record.id);
    }
    await journal
      .end(record.id, 'reverted', true)
      .catch((error) => this.#warn('journal_end', error));
    return true;
  }

  /** Adds the difference to a `hash_mismatch` that an external edit caused. */
  async #withDifference(error: unknown, operations: readonly Operation[]): Promise<unknown> {
    if (!(error instanceof StorageError) || error.code !== 'hash_mismatch') return error;
    const { root, seen } = this.#options;
    const current = await readStoredFile(root, String(error.data.path));
    if (current === undefined) return error;
    const written = operations.find(
      (operation) => operation.kind === 'write' && operation.path === current.path,
    );
    const read = written?.kind === 'write' ? written.before : undefined;
    return hashMismatch(current, read, seen.difference);
  }

  async #notify(listener: ChangeListener, change: AppliedChange): Promise<void> {
    try {
      await listener(change);
    } catch (error) {
      this.#warn('change_listener', error);
    }
  }

  #warn(step: string, error: unknown): void {
    this.#options.log.error('storage_problem', { step, message: describeError(error) });
  }
}

function withDate(file: ChangedFile, stamp: Stamp | undefined): ChangedFile {
  return stamp === undefined || file.after === undefined
    ? file
    : { ...file, mtimeMs: millisecondsOf(stamp.mtimeNs) };
}

/** Rounded as Node rounds `mtimeMs`, so that both are equal. */
function millisecondsOf(ns: bigint): number {
  return Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1e6;
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
