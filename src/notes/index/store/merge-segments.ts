/**
 * Joins the segments of the full-text index that a build leaves behind, so that searches and later
 * writes are quick. That a merge is owed is written into the index before the build begins, so
 * that one cut short, by a stop or a crash, is taken up again after the next build.
 */
import { setImmediate } from 'node:timers/promises';
import type { Sql } from './sql.ts';

const PAGES_A_STEP = 200;
/** A number in the header of the file that is free for applications: 1 while a merge is owed. */
const OWED = 'application_id';
/** From how many segments on SQLite merges some or all at a commit, and how long a log it copies. */
const USUAL = { merge: 4, mergeAll: 16, logPages: 1000 };
/** Until our own merge it need do nothing of that; the log may take 64 MB. */
const MEANWHILE = { merge: 0, mergeAll: 1000, logPages: 16_384 };

export function oweMerge(sql: Sql): void {
  sql.exec(`PRAGMA ${OWED} = 1`);
  setUp(sql, MEANWHILE);
}

/** SQLite does it in steps, and says by its count of changes when it is done. */
export async function mergeIfOwed(sql: Sql, isStopped: () => boolean): Promise<void> {
  if (isStopped() || sql.get<{ [OWED]: number }>(`PRAGMA ${OWED}`)?.[OWED] !== 1) return;
  const changes = () => sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  for (let pages = -PAGES_A_STEP; !isStopped(); pages = PAGES_A_STEP) {
    const before = changes();
    sql.run(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('merge', ?)`, pages);
    if (pages > 0 && changes() - before < 2) {
      setUp(sql, USUAL);
      sql.exec(`PRAGMA ${OWED} = 0; PRAGMA wal_checkpoint`);
      return;
    }
    await setImmediate();
  }
}

/** The numbers are part of the statement: SQLite refuses a bound parameter here, which is no integer. */
function setUp(sql: Sql, { merge, mergeAll, logPages }: typeof USUAL): void {
  sql.exec(`
    INSERT INTO sections_fts (sections_fts, rank) VALUES ('automerge', ${merge});
    INSERT INTO sections_fts (sections_fts, rank) VALUES ('crisismerge', ${mergeAll});
    PRAGMA wal_autocheckpoint = ${logPages};
  `);
}
