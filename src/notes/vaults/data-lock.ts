/**
 * The lock that allows one server per data directory.
 *
 * It is a kernel lock on a file in the directory, taken through SQLite, which holds an exclusive
 * fcntl lock during a transaction. The kernel releases it with the process, so kill -9 leaves no
 * stale lock, and it also works between containers that share the directory. Removing the file
 * would let a second server lock a new one, so the lock is checked and renewed periodically.
 */
import { type BigIntStats, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const LOCK_FILE = '.notes.lock';

export class DataDirectoryInUse extends Error {
  constructor(directory: string) {
    super(`another notes server uses ${directory}; stop it, or give this one its own directory`);
    this.name = 'DataDirectoryInUse';
  }
}

export class DataLock {
  readonly #directory: string;
  #held: Held;
  #timer: NodeJS.Timeout | undefined;

  private constructor(directory: string, held: Held) {
    this.#directory = directory;
    this.#held = held;
  }

  /** Throws `DataDirectoryInUse` while another server has it. */
  static take(directory: string): DataLock {
    return new DataLock(directory, hold(directory));
  }

  /** Takes the lock again when its file is gone; the first failure is reported to `failed`. */
  keep(failed: (error: unknown) => void, intervalMs = CHECK_INTERVAL_MS): void {
    let hasFailed = false;
    this.#timer = setInterval(() => {
      try {
        this.#renew();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) failed(error);
        hasFailed = true;
      }
    }, intervalMs);
    this.#timer.unref();
  }

  release(): void {
    clearInterval(this.#timer);
    this.#held.database.close();
  }

  #renew(): void {
    const found = fileAt(this.#directory);
    if (found?.ino === this.#held.file?.ino && found?.dev === this.#held.file?.dev) return;
    const { database } = this.#held;
    this.#held = hold(this.#directory);
    database.close();
  }
}

interface Held {
  readonly database: DatabaseSync;
  readonly file: BigIntStats | undefined;
}

const CHECK_INTERVAL_MS = 1_000;
const SQLITE_BUSY = 5;

function hold(directory: string): Held {
  const file = join(directory, LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return { database, file: fileAt(directory) };
  } catch (error) {
    database?.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) {
      throw new DataDirectoryInUse(directory);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be locked (${reason}); remove it, the server creates it again`);
  }
}

function fileAt(directory: string): BigIntStats | undefined {
  return lstatSync(join(directory, LOCK_FILE), { bigint: true, throwIfNoEntry: false });
}
