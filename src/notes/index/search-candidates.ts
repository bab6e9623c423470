import { andAlso, type Condition } from './file-filter.ts';
import { matchTerm } from './match-query.ts';
import { SECTIONS_PER_NOTE } from './schema.ts';
import type { SearchPhrase } from './searchable-text.ts';
import type { Sql } from './sql.ts';

/** Rowids and how well they match: the more, the better. */
export type Found = Map<number, number>;

/**
 * A word that stands in every note would make SQLite rank them all. The newest so many sections
 * are ranked; titles are looked for by themselves, so that none of them is missed.
 */
const MAX_SECTIONS = 3000;
const MAX_TITLES = 500;
const MAX_ANY_TERMS = 12;

export function findSections(sql: Sql, match: string, filter: Condition): Found {
  const join =
    filter.sql === ''
      ? ''
      : `CROSS JOIN files f ON f.id = sections_fts.rowid / ${SECTIONS_PER_NOTE}`;
  return found(
    sql,
    `SELECT sections_fts.rowid AS id, -bm25(sections_fts, 8, 4, 1) AS rank FROM sections_fts ${join}
      WHERE sections_fts MATCH ?${andAlso(filter)}
      ORDER BY sections_fts.rowid DESC LIMIT ${MAX_SECTIONS}`,
    match,
    filter,
  );
}

export function findTitles(sql: Sql, match: string, filter: Condition): Found {
  const join = filter.sql === '' ? '' : 'CROSS JOIN files f ON f.id = titles_fts.rowid';
  return found(
    sql,
    `SELECT titles_fts.rowid AS id, -bm25(titles_fts) AS rank FROM titles_fts ${join}
      WHERE titles_fts MATCH ?${andAlso(filter)}
      ORDER BY titles_fts.rowid DESC LIMIT ${MAX_TITLES}`,
    match,
    filter,
  );
}

/** The sections that have at least one of the words; ranks add up. */
export function findByEach(sql: Sql, terms: readonly SearchPhrase[], filter: Condition): Found {
  const sum: Found = new Map();
  for (const term of terms.slice(0, MAX_ANY_TERMS)) {
    const match = matchTerm(term);
    const one = findSections(sql, match, filter);
    for (const [note, rank] of findTitles(sql, match, filter)) {
      const first = note * SECTIONS_PER_NOTE;
      if (!one.has(first)) one.set(first, rank);
    }
    for (const [section, rank] of one) sum.set(section, (sum.get(section) ?? 0) + rank);
  }
  return sum;
}

function found(sql: Sql, query: string, match: string, filter: Condition): Found {
  const rows = sql.all<{ id: number; rank: number }>(query, match, ...filter.values);
  return new Map(rows.map(({ id, rank }) => [id, rank]));
}
