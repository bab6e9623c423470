/** What the full-text index finds: the most that is then ranked for the caller. */
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
export const MAX_RANKED = 1000;
const MAX_TITLES = 500;
const MAX_ANY_TERMS = 12;

/** The same ones for every page, so that a page never shows again what an earlier one showed. */
export function findSections(sql: Sql, match: string, filter: Condition): Found {
  const rank = '-bm25(sections_fts, 8, 4, 1)';
  return new Map(newest<[id: number, rank: number]>(sql, `rowid, ${rank}`, match, filter));
}

/** The sections that have all the words in their headings. */
export function findHeadings(sql: Sql, match: string, filter: Condition): Set<number> {
  const found = newest<[id: number]>(sql, 'rowid', `heading : (${match})`, filter);
  return new Set(found.map(([id]) => id));
}

function newest<Row extends readonly unknown[]>(
  sql: Sql,
  columns: string,
  match: string,
  filter: Condition,
): Row[] {
  const join =
    filter.sql === ''
      ? ''
      : `CROSS JOIN files f ON f.id = sections_fts.rowid / ${SECTIONS_PER_NOTE}`;
  return sql.lists<Row>(
    `SELECT sections_fts.${columns} FROM sections_fts ${join}
      WHERE sections_fts MATCH ?${andAlso(filter)}
      ORDER BY sections_fts.rowid DESC LIMIT ${MAX_RANKED}`,
    match,
    ...filter.values,
  );
}

export function findTitles(sql: Sql, match: string, filter: Condition): Found {
  const join = filter.sql === '' ? '' : 'CROSS JOIN files f ON f.id = titles_fts.rowid';
  const rows = sql.lists<[id: number, rank: number]>(
    `SELECT titles_fts.rowid, -bm25(titles_fts) FROM titles_fts ${join}
      WHERE titles_fts MATCH ?${andAlso(filter)}
      ORDER BY titles_fts.rowid DESC LIMIT ${MAX_TITLES}`,
    match,
    ...filter.values,
  );
  return new Map(rows);
}

/** The sections that have at least one of the words; ranks add up. */
export function findByEach(sql: Sql, terms: readonly SearchPhrase[], filter: Condition): Found {
  const sum: Found = new Map();
  const add = (section: number, rank: number) => sum.set(section, (sum.get(section) ?? 0) + rank);
  for (const term of terms.slice(0, MAX_ANY_TERMS)) {
    const match = matchTerm(term);
    const sections = findSections(sql, match, filter);
    for (const [id, rank] of sections) add(id, rank);
    for (const [note, rank] of findTitles(sql, match, filter)) {
      const first = note * SECTIONS_PER_NOTE;
      if (!sections.has(first)) add(first, rank);
    }
  }
  return sum;
}
