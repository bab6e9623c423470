/** One ranking from two, by words and by meaning, whose scores are first made comparable. */
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { nearestSections } from '../vectors/nearest-sections.ts';
import type { Condition } from './file-filter.ts';
import { matchTerm } from './match-query.ts';
import type { RankedNote } from './rank-notes.ts';
import type { WeighedTerm } from './search-candidates.ts';

export interface MeaningQuery {
  readonly model: number;
  /** The query as a vector of this model. */
  readonly values: Float32Array;
  /** Whether meaning alone ranks. */
  readonly isAlone?: boolean;
}

/** By what a note was found. */
export type Matched = 'words' | 'meaning' | 'both';

export interface FusedNote extends RankedNote {
  readonly matched: Matched;
}

/**
 * The best note by words gets the square of the share of the query that it has, at most 1. The nearest
 * gets this, and half of it where words have found the whole query.
 */
const WEIGHT = 0.6;
/**
 * Where the nearest section stands out by less than the first, the model does not know what is asked,
 * such as a language that it has not learned; by more than the second, it does.
 */
const UNSURE = 4;
const SURE = 5;
const MAX_SECTIONS = 200;
/** What is not nearer than this share of the nearest gets nothing. */
const FLOOR = 0.7;
const EVERYTHING: Condition = { sql: '', values: [] };

export function fuse(
  sql: Sql,
  meaning: MeaningQuery,
  filter: Condition,
  byWords: readonly RankedNote[],
  terms: readonly WeighedTerm[],
): FusedNote[] {
  const [first] = byWords;
  const covered = first ? coverage(sql, first.note, terms) : 0;
  const share = first ? covered ** 2 / first.score : 0;
  const { notes: near, standsOut = SURE } = notesByMeaning(sql, meaning, filter);
  const certainty = Math.min(1, Math.max(0, (standsOut - UNSURE) / (SURE - UNSURE)));
  const weight = meaning.isAlone ? 1 : WEIGHT * (1 - covered / 2) * certainty;
  const notes = new Map<number, FusedNote>(
    byWords.map((found) => [
      found.note,
      { ...found, score: found.score * share, matched: 'words' as const },
    ]),
  );
  for (const { note, sections, score } of weight > 0 ? near : []) {
    const known = notes.get(note);
    notes.set(note, {
      note,
      sections: [...new Set([...(known?.sections ?? []), ...sections])],
      score: (known?.score ?? 0) + weight * score,
      matched: known ? 'both' : 'meaning',
    });
  }
  return [...notes.values()].sort((a, b) => b.score - a.score || b.note - a.note);
}

/** How much of the query a note has: rare words count more. Where it is little, meaning decides. */
function coverage(sql: Sql, note: number, terms: readonly WeighedTerm[]): number {
  const first = note * SECTIONS_PER_NOTE;
  const has = terms.filter(({ term }) =>
    sql.get(
      'SELECT 1 FROM sections_fts WHERE sections_fts MATCH ? AND rowid BETWEEN ? AND ? LIMIT 1',
      matchTerm(term),
      first,
      first + SECTIONS_PER_NOTE - 1,
    ),
  );
  return weightOf(has) / Math.max(Number.MIN_VALUE, weightOf(terms));
}

function weightOf(terms: readonly WeighedTerm[]): number {
  return terms.reduce((sum, { weight }) => sum + weight, 0);
}

/** Each note by its nearest section; the nearest of all gets 1. */
export function notesByMeaning(
  sql: Sql,
  meaning: MeaningQuery,
  filter = EVERYTHING,
): { readonly notes: readonly RankedNote[]; readonly standsOut?: number } {
  const { sections: near, ...rest } = nearestSections(sql, meaning, filter, MAX_SECTIONS);
  const most = near[0]?.[1] ?? 0;
  const notes = new Map<number, RankedNote>();
  for (const [section, similarity] of near) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    const score = (similarity - FLOOR * most) / (most - FLOOR * most);
    if (!(score > 0)) break;
    const known = notes.get(note);
    const sections = [...(known?.sections ?? []), section];
    notes.set(note, { note, sections, score: known?.score ?? score });
  }
  return { notes: [...notes.values()], ...rest };
}
