/**
 * One server for one data directory.
 *
 * The lock is the kernel's own, on a file in the directory, taken through SQLite (which holds an
 * exclusive fcntl lock while a transaction is open). It goes away with the process that holds it,
 * however that ends, and knows nothing of process ids, so neither kill -9 nor a recycled id can
 * leave it behind or break it; it holds between containers that share the directory, too.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const LOCK_FILE = '.notes.lock';

export class DataDirectoryInUse extends Error {
  constructor(directory: string) {
    super(`another notes server uses ${directory}; stop it, or give this one its own directory`);
    this.name = 'DataDirectoryInUse';
  }
}

export interface DataLock {
  release(): void;
}

export function lockDataDirectory(directory: string): DataLock {
  const database = new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) {
      throw new DataDirectoryInUse(directory);
    }
    throw error;
  }
  return { release: () => database.close() };
}

const SQLITE_BUSY = 5;
