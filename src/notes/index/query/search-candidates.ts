/** What the full-text index finds: the most that is then ranked for the caller. */

import type { SearchPhrase } from '../content/searchable-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { andAlso, type Condition } from './file-filter.ts';
import { keptCount } from './kept-counts.ts';
import { matchTerm } from './match-query.ts';

/** The rowid of a section or of a note, and how well it matches: the more, the better. */
export type Found = readonly [id: number, rank: number];

export interface WeighedTerm {
  readonly term: SearchPhrase;
  /** How many sections have it, as far as they are counted. */
  readonly sections: number;
  /** How much it says: more, the fewer sections have it. */
  readonly weight: number;
}

export const MAX_SECTIONS = 400;
const MAX_TITLES = 100;
/** An average: to count the sections would be to read them. */
const SECTIONS_OF_A_NOTE = 4;
/** To rank by words SQLite reads every section that has one of them. */
const MAX_READ = 20_000;
/** Of the names of the note, the headings, the text, and the parts of compound words. */
const WEIGHTS = 'sections_fts, 4, 4, 1, 1';
const SECTION_NOTE = `sections_fts.rowid / ${SECTIONS_PER_NOTE}`;

/** The rarest first. */
export function weighTerms(sql: Sql, terms: readonly SearchPhrase[]): WeighedTerm[] {
  const all = SECTIONS_OF_A_NOTE * countNotes(sql);
  return terms
    .map((term) => {
      const sections = countSections(sql, matchTerm(term));
      return { term, sections, weight: Math.log(1 + all / (sections + 0.5)) };
    })
    .sort((a, b) => a.sections - b.sections);
}

function countNotes(sql: Sql): number {
  return keptCount(sql, `SELECT count(*) AS n FROM files WHERE kind = 'note'`);
}

/**
 * The rarest of the terms, as many as can be read in time; a very common one says next to nothing
 * beside a rare one. Undefined where even the rarest is too common to rank by.
 */
export function matchTelling(terms: readonly WeighedTerm[]): string | undefined {
  let read = 0;
  const telling = terms.filter(({ sections }) => {
    read += sections;
    return read < MAX_READ;
  });
  return telling.some(({ sections }) => sections > 0) || telling.length === terms.length
    ? telling.map(({ term }) => matchTerm(term)).join(' OR ')
    : undefined;
}

/** How many sections match, up to the most that are read. */
export function countSections(sql: Sql, match: string): number {
  const some = `SELECT 1 FROM sections_fts WHERE sections_fts MATCH ? LIMIT ${MAX_READ}`;
  return keptCount(sql, `SELECT count(*) AS n FROM (${some})`, match);
}

export function hasSection(sql: Sql, match: string, filter = EVERYTHING): boolean {
  const found = sql.get(
    `SELECT 1 FROM sections_fts ${joined(filter, SECTION_NOTE)}
      WHERE sections_fts MATCH ?${andAlso(filter)} LIMIT 1`,
    match,
    ...filter.values,
  );
  return found !== undefined;
}

/** The best, and among equals the newest; where they are not ranked, the newest alone. */
export function findSections(
  sql: Sql,
  match: string,
  filter = EVERYTHING,
  isRanked = true,
): Found[] {
  return sql.lists<Found>(
    `SELECT sections_fts.rowid, ${isRanked ? `-bm25(${WEIGHTS})` : '0'} AS rank
      FROM sections_fts ${joined(filter, SECTION_NOTE)}
      WHERE sections_fts MATCH ?${andAlso(filter)}
      ORDER BY ${isRanked ? '2 DESC, ' : ''}sections_fts.rowid DESC LIMIT ${MAX_SECTIONS}`,
    match,
    ...filter.values,
  );
}

export function findTitles(sql: Sql, match: string, filter: Condition): Found[] {
  return sql.lists<Found>(
    `SELECT titles_fts.rowid, -bm25(titles_fts) AS rank
      FROM titles_fts ${joined(filter, 'titles_fts.rowid')}
      WHERE titles_fts MATCH ?${andAlso(filter)}
      ORDER BY 2 DESC, titles_fts.rowid DESC LIMIT ${MAX_TITLES}`,
    match,
    ...filter.values,
  );
}

const EVERYTHING: Condition = { sql: '', values: [] };

function joined({ sql }: Condition, note: string): string {
  return sql === '' ? '' : `CROSS JOIN files f ON f.id = ${note}`;
}
