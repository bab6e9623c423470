/**
 * Counts of notes and of sections with a term, kept until the index changes. Queries repeat their
 * words, and to count the sections that have a word FTS5 reads all their ids: one seventh of a search.
 */
import type { Sql } from '../store/sql.ts';

interface Kept {
  version: string;
  readonly counts: Map<string, number>;
}

/** Of a query of a few words each; then all are forgotten. */
const MAX_COUNTS = 4096;

const keptOf = new WeakMap<Sql, Kept>();

/** A query that selects one number `n`, by its statement and its argument. */
export function keptCount(sql: Sql, statement: string, ...values: readonly string[]): number {
  const { counts } = upToDate(sql);
  const key = [statement, ...values].join('\n');
  const known = counts.get(key);
  if (known !== undefined) return known;
  const count = sql.get<{ n: number }>(statement, ...values)?.n ?? 0;
  if (counts.size >= MAX_COUNTS) counts.clear();
  counts.set(key, count);
  return count;
}

function upToDate(sql: Sql): Kept {
  const version = versionOf(sql);
  let kept = keptOf.get(sql);
  if (kept === undefined) {
    kept = { version, counts: new Map() };
    keptOf.set(sql, kept);
  } else if (kept.version !== version) {
    kept.version = version;
    kept.counts.clear();
  }
  return kept;
}

/** Differs after every commit of another connection, and after every change of this one. */
function versionOf(sql: Sql): string {
  const commits = sql.get<{ data_version: number }>('PRAGMA data_version')?.data_version;
  return `${commits}/${sql.get<{ n: number }>('SELECT total_changes() AS n')?.n}`;
}
