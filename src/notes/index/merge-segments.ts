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
/** What SQLite does by itself at a commit: merges so many segments, copies a log of so many pages. */
const USUAL = { segments: 4, pages: 1000 };
/** Until the merge it need do neither with every commit; the log may become 64 MB long. */
const MEANWHILE = { segments: 0, pages: 16_384 };

export function oweMerge(sql: Sql): void {
  sql.exec(`PRAGMA ${OWED} = 1`);
  doAtCommit(sql, MEANWHILE);
}

/** SQLite does it in steps, and says by its count of changes when it is done. */
export async function mergeIfOwed(sql: Sql, isStopped: () => boolean): Promise<void> {
  if (isStopped() || sql.get<{ [OWED]: number }>(`PRAGMA ${OWED}`)?.[OWED] !== 1) return;
  const changes = () => sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  for (let pages = -PAGES_A_STEP; !isStopped(); pages = PAGES_A_STEP) {
    const before = changes();
    sql.run(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('merge', ?)`, pages);
    if (pages > 0 && changes() - before < 2) {
      doAtCommit(sql, USUAL);
      sql.exec(`PRAGMA ${OWED} = 0; PRAGMA wal_checkpoint`);
      return;
    }
    await setImmediate();
  }
}

/** The numbers stand in the text: a bound one is no integer to SQLite, and is refused here. */
function doAtCommit(sql: Sql, { segments, pages }: typeof USUAL): void {
  sql.exec(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('automerge', ${segments})`);
  sql.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
}
