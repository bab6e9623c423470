/** Notes by words and phrases: names and titles first, then headings, then bodies. */
import { spellingKey } from '../../files/vault-path.ts';
import { foldedTokens, type SearchPhrase } from '../content/searchable-text.ts';
import { foldText } from '../store/folded-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { type Page, readCursor, writeCursor } from './cursor.ts';
import { type FileFilter, fileCondition } from './file-filter.ts';
import { matchAll, readTerms, type SearchMode } from './match-query.ts';
import { findByEach, findSections, findTitles, MAX_RANKED } from './search-candidates.ts';
import { makeSnippet } from './snippet.ts';
import { findSubstring } from './substring-search.ts';

export interface SearchQuery extends FileFilter {
  readonly query: string;
  readonly mode?: SearchMode;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  readonly heading_path: readonly string[];
  readonly line: number;
  readonly snippet: string;
  readonly score: number;
}

export interface SearchResult extends Page<SearchHit> {
  /** What was searched for instead, because nothing has all the words. */
  readonly relaxed?: 'any' | 'substring';
  /** More sections match than are ranked: the newest were. */
  readonly capped?: true;
}

/** A hit in a title is worth more than any in a heading, and that more than any in a body. */
const TIER = { body: 0, heading: 1, title: 2, name: 3 } as const;

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** One hit a note: its best section. */
export function search(sql: Sql, query: SearchQuery): SearchResult {
  const mode = query.mode ?? 'auto';
  const terms = mode === 'substring' ? [] : readTerms(query.query, mode);
  if (terms.length === 0) {
    const result = query.query.trim() === '' ? { items: [] } : findSubstring(sql, query);
    return mode === 'substring' ? result : { ...result, relaxed: 'substring' };
  }
  const all = mode === 'any' ? NOTHING : rankAll(sql, query, terms);
  if (all.notes.length > 0 || mode === 'all' || mode === 'phrase') return show(sql, query, all);
  if (terms.length === 1 && mode === 'auto') return show(sql, query, all);
  const any = show(sql, query, rankAny(sql, query, terms));
  return mode === 'any' ? any : { ...any, relaxed: 'any' };
}

interface Ranked {
  readonly note: number;
  readonly section: number;
  readonly score: number;
}

interface Ranking {
  readonly notes: readonly Ranked[];
  /** How many sections were ranked. */
  readonly sections: number;
}

const NOTHING: Ranking = { notes: [], sections: 0 };

function rankAll(sql: Sql, query: SearchQuery, terms: readonly SearchPhrase[]): Ranking {
  const filter = fileCondition(query);
  const match = matchAll(terms);
  const named = sql.all<{ file: number }>(
    'SELECT DISTINCT file FROM names WHERE key = ?',
    spellingKey(query.query.trim()),
  );
  const names = new Set(named.map(({ file }) => file));
  const titles = findTitles(sql, match, filter);
  // Of very many titles that match, those that are the very query are not among the newest.
  const unseen = names.difference(titles);
  if (unseen.size > 0) {
    for (const [note, rank] of findTitles(sql, match, filter, unseen)) titles.set(note, rank);
  }
  const isHeadingHit = headingTest(sql, terms);
  const best = new Map<number, Ranked>();
  const sections = findSections(sql, terms, filter);
  for (const [section, rank, heading] of sections) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    const tier = isHeadingHit(section, heading) ? TIER.heading : TIER.body;
    keep(best, { note, section, score: tier + scaled(rank) });
  }
  for (const [note, rank] of titles) {
    const tier = names.has(note) ? TIER.name : TIER.title;
    const section = best.get(note)?.section ?? note * SECTIONS_PER_NOTE;
    keep(best, { note, section, score: tier + scaled(rank) });
  }
  return { notes: [...best.values()], sections: sections.length };
}

/** Each word by itself, so that a frequent one never hides the rare one; a note's words add up. */
function rankAny(sql: Sql, query: SearchQuery, terms: readonly SearchPhrase[]): Ranking {
  const sections = findByEach(sql, terms, fileCondition(query));
  const best = new Map<number, Ranked>();
  for (const [section, rank] of sections) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    keep(best, { note, section, score: scaled(rank) });
  }
  return { notes: [...best.values()], sections: sections.size };
}

function keep(best: Map<number, Ranked>, found: Ranked): void {
  const known = best.get(found.note);
  if (!known || known.score < found.score) best.set(found.note, found);
}

/** From 0 to 1, so that no rank lifts a hit into the next tier. */
function scaled(rank: number): number {
  return Math.max(0, rank) / (Math.max(0, rank) + 10);
}

/** Whether all the words stand in the headings of a section. */
function headingTest(
  sql: Sql,
  terms: readonly SearchPhrase[],
): (section: number, heading: number) => boolean {
  const words = terms.map((term) => (term.prefix ? wordsOf(term).trimEnd() : wordsOf(term)));
  return (section, heading) => {
    if (heading <= 0) return false;
    if (words.length === 1) return true;
    const row = sql.get<{ heading_path: string }>(
      'SELECT heading_path FROM sections WHERE id = ?',
      section,
    );
    const headings = JSON.parse(row?.heading_path ?? '[]') as string[];
    const text = foldedTokens(headings.join('\n'));
    return words.every((word) => text.includes(word));
  };
}

function wordsOf(term: SearchPhrase): string {
  const folded = term.text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return ` ${folded.normalize('NFC')} `;
}

function limitOf(query: SearchQuery): number {
  return Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
}

/** So many of the notes, best first. Numbers are sorted three times as quickly as notes are. */
function bestOf(notes: readonly Ranked[], count: number): readonly Ranked[] {
  const scores = new Float64Array(notes.map(({ score }) => score)).sort();
  const least = scores.at(-count) ?? 0;
  return notes
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || a.note - b.note);
}

interface ShownRow {
  readonly path: string;
  readonly title: string;
  readonly line: number | null;
  readonly heading_path: string | null;
  readonly body_start: number | null;
  readonly text: string | null;
}

function show(sql: Sql, query: SearchQuery, { notes, sections }: Ranking): SearchResult {
  const [offset = 0] = readCursor(query.cursor);
  const limit = limitOf(query);
  const ranked = bestOf(notes, offset + limit);
  const words = foldText(query.query).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const items: SearchHit[] = [];
  for (const { note, section, score } of ranked.slice(offset, offset + limit)) {
    const row = sql.get<ShownRow>(
      `SELECT f.path, f.title, s.line, s.heading_path, s.body_start, s.text
        FROM files f LEFT JOIN sections s ON s.id = ? WHERE f.id = ?`,
      section,
      note,
    );
    if (!row) continue;
    const snippet = makeSnippet(row.text ?? '', row.body_start ?? 0, words);
    items.push({
      path: row.path,
      title: row.title,
      heading_path: JSON.parse(row.heading_path ?? '[]') as string[],
      line: (row.line ?? 1) + snippet.line,
      snippet: snippet.text,
      score: Math.round(score * 1000) / 1000,
    });
  }
  return {
    items,
    ...(notes.length > offset + limit && { cursor: writeCursor([offset + limit]) }),
    ...(sections >= MAX_RANKED && { capped: true }),
  };
}
