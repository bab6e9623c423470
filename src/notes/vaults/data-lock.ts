/**
 * One server for one data directory.
 *
 * The lock is the kernel's own, on a file in the directory, taken through SQLite (which holds an
 * exclusive fcntl lock while a transaction is open). It goes away with the process that holds it,
 * however that ends, and knows nothing of process ids, so neither kill -9 nor a recycled id can
 * leave it behind or break it; it holds between containers that share the directory, too. Who
 * removes the file leaves us with a lock that nobody else meets, so we look after it.
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

  /** Refused with `DataDirectoryInUse` while another has it. */
  static take(directory: string): DataLock {
    return new DataLock(directory, hold(directory));
  }

  /** Takes the lock again whenever its file is gone; `failed` is told once where it cannot. */
  keep(failed: (error: unknown) => void, everyMs = LOOK_MS): void {
    let hasFailed = false;
    this.#timer = setInterval(() => {
      try {
        this.#renew();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) failed(error);
        hasFailed = true;
      }
    }, everyMs);
    this.#timer.unref();
  }

  release(): void {
    clearInterval(this.#timer);
    this.#held.database.close();
  }

  #renew(): void {
    const there = fileAt(this.#directory);
    if (there?.ino === this.#held.file?.ino && there?.dev === this.#held.file?.dev) return;
    const { database } = this.#held;
    this.#held = hold(this.#directory);
    database.close();
  }
}

interface Held {
  readonly database: DatabaseSync;
  readonly file: BigIntStats | undefined;
}

const LOOK_MS = 1_000;
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
    throw new Error(`${file} cannot be locked (${reason}); remove it, the server makes it anew`);
  }
}

function fileAt(directory: string): BigIntStats | undefined {
  return lstatSync(join(directory, LOCK_FILE), { bigint: true, throwIfNoEntry: false });
}
