/**
 * The index that is held open for writing. It may come to lie elsewhere, or nowhere: somebody has
 * removed it, or put another vault in the place of this one. What lies there then, nobody here has
 * written, so it goes, and an empty index takes its place.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../files/storage-error.ts';
import { type FileIdentity, identityOf, isSameFile } from './file-identity.ts';
import { IndexError } from './index-error.ts';
import { openIndex, removeIndex } from './open-index.ts';
import type { Sql } from './sql.ts';

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

  /** Not so after an attempt to open it anew has failed; another one may succeed. */
  get isOpen(): boolean {
    return this.#sql.database.isOpen;
  }

  isInPlace(): boolean {
    return this.isOpen && isSameFile(this.#identity, identityOf(this.#file));
  }

  /** The folder is made, but not the vault: one that is not there may be back later. */
  openAnew(): void {
    makeFolder(dirname(this.#file));
    this.close();
    removeIndex(this.#file);
    this.#sql = openIndex(this.#file);
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
  const message = 'the folder of the index is no folder; links are not followed, remove it';
  throw new IndexError('storage_error', message);
}
