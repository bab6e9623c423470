/**
 * Joins the segments of the full-text index that a build leaves behind, so that searches and later
 * writes are quick. That a merge is owed is written into the index before the build begins, so
 * that one cut short, by a stop or a crash, is taken up again after the next build.
 */
import { setImmediate } from 'node:timers/promises';
import type { Sql } from './sql.ts';

const PAGES_A_STEP = 200;
/** A number that SQLite keeps in the file for whoever uses it. */
const OWED = 'application_id';

export function oweMerge(sql: Sql): void {
  sql.exec(`PRAGMA ${OWED} = 1`);
}

/** SQLite does it in steps, and says by its count of changes when it is done. */
export async function mergeIfOwed(sql: Sql, isStopped: () => boolean): Promise<void> {
  if (isStopped() || sql.get<{ [OWED]: number }>(`PRAGMA ${OWED}`)?.[OWED] !== 1) return;
  const changes = () => sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  for (let pages = -PAGES_A_STEP; !isStopped(); pages = PAGES_A_STEP) {
    const before = changes();
    sql.run(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('merge', ?)`, pages);
    if (pages > 0 && changes() - before < 2) {
      sql.exec(`PRAGMA ${OWED} = 0`);
      return;
    }
    await setImmediate();
  }
}
