import { setImmediate } from 'node:timers/promises';
import type { Sql } from './sql.ts';

const PAGES_A_STEP = 200;

/**
 * Joins the segments of the full-text index that a build left behind, so that searches and later
 * writes are quick. SQLite does it in steps, and says by its count of changes when it is done.
 */
export async function mergeSegments(sql: Sql, isStopped: () => boolean): Promise<void> {
  const changes = () => sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  for (let pages = -PAGES_A_STEP; !isStopped(); pages = PAGES_A_STEP) {
    const before = changes();
    sql.run(`INSERT INTO sections_fts (sections_fts, rank) VALUES ('merge', ?)`, pages);
    if (pages > 0 && changes() - before < 2) return;
    await setImmediate();
  }
}
