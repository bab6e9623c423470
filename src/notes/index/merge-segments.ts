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
/** How many segments SQLite merges by itself, as it does unless told otherwise. */
const AS_USUAL = 4;

/** Until then SQLite need not merge by itself with every commit. */
export function oweMerge(sql: Sql): void {
  sql.exec(`PRAGMA ${OWED} = 1`);
  mergeAtCommit(sql, 0);
}

/** SQLite does it in steps, and says by its count of changes when it is done. */
export async function mergeIfOwed(sql: Sql, isStopped: () => boolean): Promise<void> {
  if (isStopped() || sql.get<{ [OWED]: number }>(`PRAGMA ${OWED}`)?.[OWED] !== 1) return;
  const changes = () => sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  for (let pages = -PAGES_A_STEP; !isStopped(); pages = PAGES_A_STEP) {
    const before = changes();
    sql.run(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('merge', ?)`, pages);
    if (pages > 0 && changes() - before < 2) {
      mergeAtCommit(sql, AS_USUAL);
      sql.exec(`PRAGMA ${OWED} = 0`);
      return;
    }
    await setImmediate();
  }
}

/** The number stands in the text: a bound one is no integer to SQLite, and is refused here. */
function mergeAtCommit(sql: Sql, segments: number): void {
  sql.exec(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('automerge', ${segments})`);
}
