/** Notes by words: any of them finds a note; how rare they are and where they stand ranks it. */

import { STEMMED_LANGUAGES, stemsOfWord } from '../content/language-stems.ts';
import type { Language } from '../content/note-language.ts';
import type { SearchPhrase } from '../content/searchable-text.ts';
import { foldText } from '../store/folded-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { pageOf, readCursor, readPlace, writeCursor } from './cursor.ts';
import { preferExact, saysExactly } from './exact-words.ts';
import { type Condition, fileCondition } from './file-filter.ts';
import { fuse, type Matched } from './fuse.ts';
import { matchAll, matchTerm, readQuery, type TypedQuery } from './match-query.ts';
import { correctSpellings } from './near-spellings.ts';
import { type RankedNote, rankNotes } from './rank-notes.ts';
import {
  countSections,
  findSections,
  findTitles,
  hasSection,
  MAX_SECTIONS,
  matchTelling,
  type WeighedTerm,
  weighTerms,
} from './search-candidates.ts';
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts';
import { makeSnippet } from './snippet.ts';
import { findSubstring } from './substring-search.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const LANGUAGES = `
  SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM files WHERE language = value)`;

/** One hit a note: its best section. */
export function search(sql: Sql, query: SearchQuery): SearchResult {
  const mode = query.mode ?? 'auto';
  const typed = readQuery(query.query, mode);
  const filter = conditionOf(query, typed);
  const narrows = typed.tags.length + typed.paths.length > 0 || query.query.trim() === '';
  if (mode !== 'substring' && typed.terms.length === 0 && narrows) {
    return filter.sql === '' ? { items: [] } : newest(sql, query, filter);
  }
  if (mode === 'substring' || (typed.terms.length === 0 && !query.meaning)) {
    const result = query.query.trim() === '' ? { items: [] } : findSubstring(sql, query);
    return mode === 'substring' ? result : { ...result, relaxed: 'substring' };
  }
  const weighed = weighTerms(sql, withStems(sql, typed.terms));
  const terms = mode === 'auto' ? correctSpellings(sql, weighed) : weighed;
  const ranking = withMeaning(sql, query, typed, terms, filter);
  if (mode !== 'auto') return show(sql, query, ranking, typed, terms);
  const isPartial = typed.telling.length > 1 && !hasSection(sql, matchAll(typed.telling), filter);
  const relaxed = terms.some((term) => !weighed.includes(term))
    ? 'spelling'
    : isPartial
      ? 'any'
      : undefined;
  return { ...show(sql, query, ranking, typed, terms), ...(relaxed && { relaxed }) };
}

/** In other languages than English a word is also found by its stem, if a note is in that language. */
function withStems(sql: Sql, terms: readonly SearchPhrase[]): SearchPhrase[] {
  const languages = sql
    .all<{ value: Language }>(LANGUAGES, JSON.stringify(STEMMED_LANGUAGES))
    .map(({ value }) => value);
  return terms.map((term) => ({ ...term, stems: stemsOfWord(term.text, languages) }));
}

interface NewestRow {
  readonly id: number;
  readonly path: string;
  readonly mtime_ms: number;
  /** The first one after the frontmatter. */
  readonly section: number | null;
}

/** Without words: what the filters leave, the last changed first, each with its beginning. */
function newest(sql: Sql, query: SearchQuery, filter: Condition): SearchResult {
  const limit = limitFor(query);
  const [changed, path] = readPlace(query.cursor, ['number', 'text']) ?? [];
  const rows = sql.all<NewestRow>(
    `SELECT f.id, f.path, f.mtime_ms, (SELECT id FROM sections WHERE text NOT LIKE '---%' AND id
        BETWEEN f.id * ${SECTIONS_PER_NOTE} AND f.id * ${SECTIONS_PER_NOTE} + 9 LIMIT 1) AS section
      FROM files f WHERE f.kind = 'note' AND ${filter.sql}
      ${path === undefined ? '' : 'AND (-f.mtime_ms, f.path) >= (?, ?)'}
      ORDER BY -f.mtime_ms, f.path LIMIT ?`,
    ...filter.values,
    ...(path === undefined ? [] : [changed!, path]),
    limit + 1,
  );
  const item = ({ id, section }: NewestRow) =>
    hitOf(sql, { note: id, sections: [section ?? 0], score: 0 }, [])!;
  return pageOf(rows, limit, item, (row) => [-row.mtime_ms, row.path]);
}

function limitFor({ limit = DEFAULT_LIMIT }: SearchQuery): number {
  return Math.min(Math.max(1, limit), MAX_LIMIT);
}

interface Ranking {
  readonly notes: readonly (RankedNote & { readonly matched?: Matched })[];
  readonly isCapped: boolean;
}

/** The notes found by words, by meaning, or both, as the query wants them. */
function withMeaning(...[sql, query, typed, terms, filter]: Parameters<typeof rank>): Ranking {
  const { meaning } = query;
  const hasWords = terms.length > 0 && !meaning?.isAlone;
  const ranking = hasWords ? rank(sql, query, typed, terms, filter) : NOTHING;
  if (!meaning) return ranking;
  const isOneWord = typed.telling.length === 1;
  return { ...ranking, notes: fuse(sql, meaning, filter, ranking.notes, { terms, isOneWord }) };
}

const NOTHING: Ranking = { notes: [], isCapped: false };

function rank(
  sql: Sql,
  { mode }: SearchQuery,
  typed: TypedQuery,
  terms: readonly WeighedTerm[],
  filter: Condition,
): Ranking {
  const required = [...typed.phrases.map(matchTerm), ...(mode === 'all' ? typed.words : [])];
  const all = required.map((match) => `(${match})`).join(' AND ');
  const within = (match: string) => (all === '' ? match : `${all} AND (${match})`);
  const any = terms.map(({ term }) => matchTerm(term)).join(' OR ');
  const isSmall = all !== '' && countSections(sql, all) < MAX_SECTIONS;
  const telling = isSmall ? any : matchTelling(terms);
  const sections = findSections(sql, within(telling ?? any), filter, telling !== undefined);
  const titles = findTitles(sql, within(any), filter);
  const isCapped = sections.length >= MAX_SECTIONS;
  return { notes: preferExact(sql, terms, rankNotes(sql, terms, sections, titles)), isCapped };
}

/** What is typed into the query narrows as the arguments do. */
function conditionOf(query: SearchQuery, { tags, paths }: TypedQuery): Condition {
  const narrowed = { ...query, tags: [...(query.tags ?? []), ...tags] };
  const { sql, values } = fileCondition(narrowed);
  const inPath = paths.map(() => 'contains_text(f.path, ?)');
  return {
    sql: [sql, ...inPath].filter((part) => part !== '').join(' AND '),
    values: [...values, ...paths],
  };
}

interface ShownRow {
  readonly path: string;
  readonly title: string;
  readonly line: number | null;
  readonly heading_path: string | null;
  readonly body_start: number | null;
  readonly text: string | null;
}

/** Quoted and excluded words are looked for in the notes themselves, as many as are shown. */
function show(
  sql: Sql,
  query: SearchQuery,
  { notes, isCapped }: Ranking,
  typed: TypedQuery,
  terms: readonly WeighedTerm[],
): SearchResult {
  const [offset = 0] = readCursor(query.cursor);
  const limit = limitFor(query);
  const words = [query.query, ...terms.map(({ term }) => term.text)].flatMap(
    (text) => foldText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
  );
  const items: SearchHit[] = [];
  let place = offset;
  for (; place < notes.length && items.length < limit; place++) {
    const hit = saysExactly(sql, typed, notes[place]!);
    const item = hit && hitOf(sql, hit, words);
    const { matched } = notes[place]!;
    if (item) items.push({ ...item, ...(matched && { matched }) });
  }
  return {
    items,
    ...(place < notes.length && { cursor: writeCursor([place]) }),
    ...(isCapped && { capped: true }),
  };
}

function hitOf(
  sql: Sql,
  { note, sections, score }: RankedNote,
  words: readonly string[],
): SearchHit | undefined {
  const row = sql.get<ShownRow>(
    `SELECT f.path, f.title, s.line, s.heading_path, s.body_start, s.text
      FROM files f LEFT JOIN sections s ON s.id = ? WHERE f.id = ?`,
    sections[0]!,
    note,
  );
  if (!row) return undefined;
  const snippet = makeSnippet(row.text ?? '', row.body_start ?? 0, words);
  return {
    path: row.path,
    title: row.title,
    heading_path: JSON.parse(row.heading_path ?? '[]') as string[],
    line: (row.line ?? 1) + snippet.line,
    snippet: snippet.text,
    score: Math.round(score * 1000) / 1000,
  };
}
