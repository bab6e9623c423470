/**
 * Failed changes whose rollback failed too, for example on a full disk.
 *
 * Every rollback is retried before the next change. Until it succeeds, changes of its paths are
 * refused: they would build on a half-applied state, and recovery at the next start would overwrite
 * them.
 */

import { StorageError } from '../files/storage-error.ts';
import { isBelow, spellingKey } from '../files/vault-path.ts';
import type { ChangeRequest } from './change-types.ts';
import type { BeginRecord } from './journal-record.ts';

export class PendingRollbacks {
  /** Returns whether the rollback succeeded. */
  readonly #rollBack: (record: BeginRecord) => Promise<boolean>;
  #records: readonly BeginRecord[] = [];
  #retrying: Promise<void> | undefined;

  constructor(rollBack: (record: BeginRecord) => Promise<boolean>) {
    this.#rollBack = rollBack;
  }

  /** Call it while the locks of the change are held. */
  async rollBack(record: BeginRecord): Promise<void> {
    if (!(await this.#rollBack(record))) this.#records = [record, ...this.#records];
  }

  /** Must be awaited before every change; throws if a pending rollback blocks its scope. */
  async retry(scope: ChangeRequest['scope']): Promise<void> {
    if (this.#records.length === 0) return;
    this.#retrying ??= this.#retryAll().finally(() => {
      this.#retrying = undefined;
    });
    await this.#retrying;
    const blocking = this.#records.find((record) => isTouched(record, scope));
    if (blocking === undefined) return;
    throw new StorageError(
      'storage_error',
      'an earlier change of these notes failed and could not be rolled back yet; make sure that the ' +
        'disk has space and is writable (see the server log), then try again',
      { change_id: blocking.id },
    );
  }

  /** Newest first: a newer change may have begun on the result of an older one. */
  async #retryAll(): Promise<void> {
    for (const record of this.#records) {
      if (!(await this.#rollBack(record))) continue;
      this.#records = this.#records.filter((other) => other !== record);
    }
  }
}

function isTouched(record: BeginRecord, scope: ChangeRequest['scope']): boolean {
  if (scope === 'vault') return true;
  const keys = scope.map(spellingKey);
  return record.operations
    .flatMap((operation) =>
      operation.kind === 'move' ? [operation.from, operation.to] : [operation.path],
    )
    .map(spellingKey)
    .some((path) => keys.some((key) => key === path || isBelow(key, path)));
}
