/**
 * The connection for writing an index. If its file was removed or the vault was replaced meanwhile,
 * `recreate` removes whatever is at the path and opens an empty index there.
 */
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../files/storage-error.ts';
import { type FileIdentity, identityOf, isSameFile } from './file-identity.ts';
import { IndexError } from './index-error.ts';
import { keepVectors } from './keep-vectors.ts';
import { isDamage, openForWriting } from './schema.ts';
import { Sql } from './sql.ts';

const SUFFIXES = ['', '-wal', '-shm', '-journal'];

export class IndexWriterConnection {
  readonly #file: string;
  #sql: Sql;
  #identity: FileIdentity | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#sql = openIndex(file);
    this.#identity = identityOf(file);
  }

  get sql(): Sql {
    return this.#sql;
  }

  /** False after a failed `recreate`, which may be retried. */
  get isOpen(): boolean {
    return this.#sql.database.isOpen;
  }

  isInPlace(): boolean {
    return this.isOpen && isSameFile(this.#identity, identityOf(this.#file));
  }

  /** Creates the folder, but not the vault: a missing vault may come back. */
  recreate(): void {
    makeFolder(dirname(this.#file));
    const putBack = this.isInPlace() ? keepVectors(this.#sql, this.#file) : () => {};
    this.close();
    removeIndex(this.#file);
    this.#sql = openIndex(this.#file);
    putBack(this.#sql);
    this.#identity = identityOf(this.#file);
  }

  close(): void {
    if (this.isOpen) this.#sql.close();
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  if (lstatSync(folder).isDirectory()) return;
  const message = 'the index folder is not a directory, and links are not followed; remove it';
  throw new IndexError('storage_error', message);
}

/** Opens the index at `file`; a missing or damaged one is created empty. */
export function openIndex(file: string): Sql {
  removeLinks(file);
  try {
    return new Sql(openForWriting(file));
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(file);
    return new Sql(openForWriting(file));
  }
}

function removeIndex(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
}

/** Prevents SQLite from following a link out of the vault, or from waiting for a pipe. */
function removeLinks(file: string): void {
  for (const suffix of SUFFIXES) {
    const found = lstatSync(file + suffix, { throwIfNoEntry: false });
    if (found && !found.isFile() && !found.isDirectory()) rmSync(file + suffix);
  }
}
