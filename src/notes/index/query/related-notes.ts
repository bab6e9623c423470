/**
 * Notes related to a note (by links, common links, rare tags and words) or to a text (by words).
 */
import { type SearchPhrase, searchablePhrase } from '../content/searchable-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { noteVector } from '../vectors/nearest-sections.ts';
import type { Condition } from './file-filter.ts';
import { type MeaningQuery, notesByMeaning } from './fuse.ts';
import { matchTerm } from './match-query.ts';
import { noteId, noteText } from './note-texts.ts';
import { findSections } from './search-candidates.ts';

export interface RelatedQuery {
  /** Either `path` or `text`. */
  readonly path?: string;
  readonly text?: string;
  readonly limit?: number;
  /** The vector of `text`, where there are vectors. */
  readonly meaning?: MeaningQuery | undefined;
}

export interface RelatedNote {
  readonly path: string;
  readonly title: string;
  readonly score: number;
  /** Why: `linked`, `shared links`, `tags`, `words`, `meaning`. */
  readonly reasons: readonly string[];
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
const MAX_TERMS = 8;
const MAX_TEXT_LENGTH = 20_000;
/** Links, tags and words shared by more notes are not significant. */
const MAX_SHARED = 300;

const LINKED = `
  SELECT destination AS other FROM links WHERE source = ?1 AND destination IS NOT NULL
  UNION SELECT source FROM links WHERE destination = ?1`;

const SHARED_LINKS = `
  SELECT b.source AS other, count(DISTINCT a.destination) AS shared
  FROM links a JOIN links b ON b.destination = a.destination
  WHERE a.source = ?1 AND b.source <> ?1 AND a.destination <> ?1
    AND (SELECT count(*) FROM (SELECT 1 FROM links c WHERE c.destination = a.destination LIMIT ${MAX_SHARED})) < ${MAX_SHARED}
  GROUP BY b.source ORDER BY 2 DESC LIMIT ${MAX_SHARED}`;

const SHARED_TAGS = `
  SELECT b.file AS other, count(*) AS shared FROM tags a JOIN tags b ON b.key = a.key
  WHERE a.file = ?1 AND b.file <> ?1
    AND (SELECT count(*) FROM (SELECT 1 FROM tags c WHERE c.key = a.key LIMIT ${MAX_SHARED})) < ${MAX_SHARED}
  GROUP BY b.file ORDER BY 2 DESC LIMIT ${MAX_SHARED}`;

export function relatedNotes(sql: Sql, query: RelatedQuery): RelatedNote[] {
  const scores = new Map<number, { score: number; reasons: Set<string> }>();
  const add = (id: number, score: number, reason: string) => {
    const known = scores.get(id) ?? { score: 0, reasons: new Set<string>() };
    known.score += score;
    known.reasons.add(reason);
    scores.set(id, known);
  };
  if (query.path !== undefined) {
    const id = noteId(sql, query.path);
    for (const { other } of sql.all<{ other: number }>(LINKED, id)) add(other, 2, 'linked');
    for (const row of sql.all<{ other: number; shared: number }>(SHARED_LINKS, id)) {
      add(row.other, Math.min(2, row.shared * 0.5), 'shared links');
    }
    for (const row of sql.all<{ other: number; shared: number }>(SHARED_TAGS, id)) {
      add(row.other, Math.min(1.5, row.shared * 0.5), 'tags');
    }
    addWords(sql, noteText(sql, id), add);
    addMeaning(sql, noteVector(sql, id), add, { sql: 'f.id <> ?', values: [id] });
    scores.delete(id);
  } else {
    addWords(sql, query.text ?? '', add);
    addMeaning(sql, query.meaning, add);
  }
  return named(sql, scores, Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT));
}

function addWords(
  sql: Sql,
  text: string,
  add: (id: number, score: number, reason: string) => void,
): void {
  const match = significantTerms(text).map(matchTerm).join(' OR ');
  const found = match === '' ? [] : findSections(sql, match);
  const notes = new Map<number, number>();
  for (const [section, rank] of found) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    notes.set(note, Math.max(rank, notes.get(note) ?? 0));
  }
  const max = Math.max(1, ...[...notes.values()].slice(0, 10_000));
  for (const [note, rank] of notes) add(note, (2 * rank) / max, 'words');
}

/** The nearest note counts as much as a link. */
function addMeaning(
  sql: Sql,
  meaning: MeaningQuery | undefined,
  add: (id: number, score: number, reason: string) => void,
  filter?: Condition,
): void {
  for (const { note, score } of meaning ? notesByMeaning(sql, meaning, filter).notes : []) {
    add(note, 2 * score, 'meaning');
  }
}

const WORD =
  /(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])[\p{L}\p{M}\p{N}]){4,40}/gu;
/** In scripts without spaces two characters are about a word; hiragana is mostly grammar. */
const PAIR = /(?=([\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}ー]{2}))/gu;
/** A pair counts as a word of this length. */
const PAIR_LENGTH = 6;

/** The significant terms of a text: long words that occur often. */
function significantTerms(text: string): SearchPhrase[] {
  const counts = new Map<string, number>();
  const read = text.slice(0, MAX_TEXT_LENGTH).toLowerCase().normalize('NFKC');
  const words = read.match(WORD) ?? [];
  const pairs = Array.from(read.matchAll(PAIR), ({ 1: pair }) => pair!);
  for (const word of [...words, ...pairs]) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = ([word, count]: [string, number]) =>
    Math.log1p(count) * (word.length === 2 ? PAIR_LENGTH : Math.min(12, word.length));
  return [...counts]
    .sort((a, b) => weight(b) - weight(a) || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_TERMS)
    .flatMap(([word]) => searchablePhrase(word) ?? []);
}

function named(
  sql: Sql,
  scores: ReadonlyMap<number, { score: number; reasons: Set<string> }>,
  limit: number,
): RelatedNote[] {
  const related: RelatedNote[] = [];
  for (const [id, { score, reasons }] of [...scores].sort((a, b) => b[1].score - a[1].score)) {
    const row = sql.get<{ path: string; title: string }>(
      `SELECT path, title FROM files WHERE id = ? AND kind = 'note'`,
      id,
    );
    if (!row) continue;
    related.push({ ...row, score: Math.round(score * 100) / 100, reasons: [...reasons] });
    if (related.length === limit) break;
  }
  return related;
}
