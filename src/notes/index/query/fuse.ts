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
 * The best note by words gets the cube of the share of the query that it has, at most 1: a note with
 * half of the words is seldom what is asked for. The nearest gets this, and so much less of it where
 * words have found the whole query. A single word that notes have is a name, and words find names.
 */
const WEIGHT = 0.8;
const LESS_WITH_WORDS = 0.5;
const LESS_WITH_ONE_WORD = 0.9;
/**
 * Where the nearest section stands out by less than the first, the model does not know what is asked,
 * such as a language that it has not learned; by more than the second, it does.
 */
const UNSURE = 4;
const SURE = 5;
const MAX_SECTIONS = 200;
/** The beginning of a note counts so much beside its nearest section: it says what the note is about. */
const LEAD = 0.5;
/** What is not nearer than this share of the nearest gets nothing. */
const FLOOR = 0.7;
const EVERYTHING: Condition = { sql: '', values: [] };

export function fuse(
  sql: Sql,
  meaning: MeaningQuery,
  filter: Condition,
  byWords: readonly RankedNote[],
  { terms, isOneWord }: { readonly terms: readonly WeighedTerm[]; readonly isOneWord: boolean },
): FusedNote[] {
  const [first] = byWords;
  const covered = first ? coverage(sql, first.note, terms) : 0;
  const share = first ? covered ** 3 / first.score : 0;
  const { notes: near, standsOut = SURE } = notesByMeaning(sql, meaning, filter);
  const certainty = Math.min(1, Math.max(0, (standsOut - UNSURE) / (SURE - UNSURE)));
  const less = isOneWord ? LESS_WITH_ONE_WORD : LESS_WITH_WORDS;
  const weight = meaning.isAlone ? 1 : WEIGHT * (1 - less * covered) * certainty;
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

/** Each note by its nearest section and its beginning; the nearest of all gets 1. */
export function notesByMeaning(
  sql: Sql,
  meaning: MeaningQuery,
  filter = EVERYTHING,
): { readonly notes: readonly RankedNote[]; readonly standsOut?: number } {
  const { sections: near, leads, ...rest } = nearestSections(sql, meaning, filter, MAX_SECTIONS);
  const notes = new Map<number, { note: number; sections: number[]; nearness: number }>();
  for (const [section, similarity] of near) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    const known = notes.get(note);
    if (known) known.sections.push(section);
    else {
      const nearness = similarity + LEAD * (leads.get(note) ?? 0);
      notes.set(note, { note, sections: [section], nearness });
    }
  }
  const ranked = [...notes.values()].sort((a, b) => b.nearness - a.nearness || b.note - a.note);
  const most = ranked[0]?.nearness ?? 0;
  const scored = ranked.map(({ note, sections, nearness }) => {
    return { note, sections, score: (nearness - FLOOR * most) / (most - FLOOR * most) };
  });
  return { notes: scored.filter(({ score }) => score > 0), ...rest };
}
