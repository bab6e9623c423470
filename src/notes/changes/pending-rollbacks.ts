/**
 * Changes that failed half-way and could not be taken back, because the disk refused that as well.
 *
 * Each is tried again before the next change, whatever that is of. Until it is taken back, changes
 * of its paths are refused: they would be acknowledged over a state that nobody asked for, and the
 * next start would take it back from under them.
 */

import { StorageError } from '../files/storage-error.ts';
import { isBelow, spellingKey } from '../files/vault-path.ts';
import type { ChangeRequest } from './change-types.ts';
import type { BeginRecord } from './journal-record.ts';

export class PendingRollbacks {
  /** Whether it could be taken back. */
  readonly #takeBack: (record: BeginRecord) => Promise<boolean>;
  #records: readonly BeginRecord[] = [];
  #trying: Promise<void> | undefined;

  constructor(takeBack: (record: BeginRecord) => Promise<boolean>) {
    this.#takeBack = takeBack;
  }

  /** Call it in the turn of the change, so that no other change comes between. */
  async takeBack(record: BeginRecord): Promise<void> {
    if (!(await this.#takeBack(record))) this.#records = [record, ...this.#records];
  }

  /** To be awaited before every change. */
  async clear(scope: ChangeRequest['scope']): Promise<void> {
    if (this.#records.length === 0) return;
    this.#trying ??= this.#tryAgain().finally(() => {
      this.#trying = undefined;
    });
    await this.#trying;
    const inTheWay = this.#records.find((record) => isTouched(record, scope));
    if (inTheWay === undefined) return;
    throw new StorageError(
      'storage_error',
      'an earlier change of these notes failed half-way and could not be taken back yet; ' +
        'see the server log, make sure that the disk has space and can be written, and try again',
      { change_id: inTheWay.id },
    );
  }

  /** The newest first: an older one may have begun where it ends. */
  async #tryAgain(): Promise<void> {
    for (const record of this.#records) {
      if (!(await this.#takeBack(record))) continue;
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
