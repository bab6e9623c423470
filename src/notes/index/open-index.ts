import { rmSync } from 'node:fs';
import { isDamage, openForWriting } from './schema.ts';
import { Sql } from './sql.ts';

/** The index at `file`, empty where there is none or none that can be read. */
export function openIndex(file: string): Sql {
  try {
    return new Sql(openForWriting(file));
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(file);
    return new Sql(openForWriting(file));
  }
}

export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
