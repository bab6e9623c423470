/** What the full-text index finds: the most that is then ranked for the caller. */

import type { SearchPhrase } from '../content/searchable-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { andAlso, type Condition } from './file-filter.ts';
import { matchAll, matchTerm } from './match-query.ts';

/** Rowids and how well they match: the more, the better. */
export type Found = Map<number, number>;

/** `heading` is more than 0 where at least one of the words stands in the section's headings. */
export type FoundSection = readonly [id: number, rank: number, heading: number];

/**
 * A word that stands in every note would make SQLite rank them all. The newest so many sections
 * are ranked; titles are looked for by themselves, so that none of them is missed.
 */
export const MAX_RANKED = 1000;
const MAX_TITLES = 500;
const MAX_ANY_TERMS = 12;

/**
 * To rank by a word SQLite first counts all the sections that have it. One that stands in more of
 * them says next to nothing by how often it stands in one, and is left out of the ranking.
 */
const COMMON = 10_000;
const SAMPLE = 50;
/** Less than any word that is ranked gives. */
const MIN_RANK = 0.001;
const RANKED = 'rowid, -bm25(sections_fts, 8, 4, 1), -bm25(sections_fts, 0, 1, 0)';

/**
 * The newest first, and the same ones for every page, so that a page never shows again what an
 * earlier one showed. What has common words alone ranks by its age.
 */
export function findSections(
  sql: Sql,
  terms: readonly SearchPhrase[],
  filter: Condition,
): readonly FoundSection[] {
  const last = sql.get<{ id: number }>('SELECT max(id) AS id FROM files')?.id ?? 0;
  const telling = terms.filter((term) => !isCommon(sql, term, last));
  const match = matchAll(terms);
  if (telling.length === terms.length) return newest<FoundSection>(sql, RANKED, match, filter);
  const found = newest<[id: number]>(sql, 'rowid', match, filter);
  const ranked = rankedSince(sql, telling, found.at(-1)?.[0] ?? 0);
  const byAge = (place: number) => (MIN_RANK * (found.length - place)) / found.length;
  return found.map(([id], place) => ranked.get(id) ?? [id, byAge(place), 0]);
}

/**
 * Judged by how densely it stands in the newest notes and in the oldest: a long note may have a
 * rare word in each of its sections, but hardly at both ends.
 */
function isCommon(sql: Sql, term: SearchPhrase, last: number): boolean {
  const match = matchTerm(term);
  const most = (SAMPLE * last) / COMMON;
  // The oldest first: SQLite reads forward more quickly than backward.
  if ((noteAt(sql, match, 'ASC') ?? last) > most) return false;
  return last - (noteAt(sql, match, 'DESC') ?? 0) < most;
}

/** The note of the last section of a sample, taken from one end; undefined if there are fewer. */
function noteAt(sql: Sql, match: string, order: 'ASC' | 'DESC'): number | undefined {
  const section = sql.get<{ rowid: number }>(
    `SELECT rowid FROM sections_fts WHERE sections_fts MATCH ?
      ORDER BY rowid ${order} LIMIT 1 OFFSET ${SAMPLE - 1}`,
    match,
  );
  return section && Math.floor(section.rowid / SECTIONS_PER_NOTE);
}

/** The sections from this one on that have the words. */
function rankedSince(
  sql: Sql,
  terms: readonly SearchPhrase[],
  first: number,
): Map<number, FoundSection> {
  if (terms.length === 0) return new Map();
  const found = sql.lists<FoundSection>(
    `SELECT ${RANKED} FROM sections_fts WHERE sections_fts MATCH ? AND rowid >= ?
      ORDER BY rowid DESC`,
    matchAll(terms),
    first,
  );
  return new Map(found.map((section) => [section[0], section]));
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

/** The newest so many; where `among` is given, the newest of these. */
export function findTitles(
  sql: Sql,
  match: string,
  filter: Condition,
  among?: ReadonlySet<number>,
): Found {
  const join = filter.sql === '' ? '' : 'CROSS JOIN files f ON f.id = titles_fts.rowid';
  const chosen = among ? ' AND titles_fts.rowid IN (SELECT value FROM json_each(?))' : '';
  const rows = sql.lists<[id: number, rank: number]>(
    `SELECT titles_fts.rowid, -bm25(titles_fts) FROM titles_fts ${join}
      WHERE titles_fts MATCH ?${chosen}${andAlso(filter)}
      ORDER BY titles_fts.rowid DESC LIMIT ${MAX_TITLES}`,
    match,
    ...(among ? [JSON.stringify([...among])] : []),
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
    const firsts = new Set<number>();
    for (const [id, rank] of findSections(sql, [term], filter)) {
      add(id, rank);
      firsts.add(id);
    }
    for (const [note, rank] of findTitles(sql, match, filter)) {
      const first = note * SECTIONS_PER_NOTE;
      if (!firsts.has(first)) add(first, rank);
    }
  }
  return sum;
}
