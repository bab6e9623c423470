import { lstatSync, rmSync } from 'node:fs';
import { isDamage, openForWriting } from './schema.ts';
import { Sql } from './sql.ts';

const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/** The index at `file`, empty where there is none or none that can be read. */
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

export function removeIndex(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
}

/** SQLite would follow a link out of the vault and write there, or wait for a pipe. */
function removeLinks(file: string): void {
  for (const suffix of SUFFIXES) {
    const found = lstatSync(file + suffix, { throwIfNoEntry: false });
    if (found && !found.isFile() && !found.isDirectory()) rmSync(file + suffix);
  }
}
