/**
 * What the index finds by its stem, looked at as it is written: the very form of a word ranks above
 * another of the same stem, and what is quoted or excluded must be there, or not, to the letter.
 */

import { foldedTokens, type SearchPhrase, withoutAccents } from '../content/searchable-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { matchTerm, type TypedQuery } from './match-query.ts';
import type { RankedNote } from './rank-notes.ts';
import type { WeighedTerm } from './search-candidates.ts';

const EXACT = 0.1;
/** Of the best so many notes the texts are read. */
const MAX_READ = 20;
const MAX_TEXT = 4096;

export function preferExact(
  sql: Sql,
  terms: readonly WeighedTerm[],
  notes: readonly RankedNote[],
): RankedNote[] {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const exact = notes.slice(0, MAX_READ).map((note) => {
    const text = textOf(sql, note.sections[0]!, MAX_TEXT);
    const has = terms.filter(({ term }) => holds(text, term));
    const share = has.reduce((sum, { weight }) => sum + weight, 0) / total;
    return { ...note, score: note.score + EXACT * share };
  });
  exact.sort((a, b) => b.score - a.score || b.note - a.note);
  return [...exact, ...notes.slice(MAX_READ)];
}

/** The note with the section that has all that is quoted; undefined where it is no hit. */
export function saysExactly(
  sql: Sql,
  { phrases, excluded }: TypedQuery,
  note: RankedNote,
): RankedNote | undefined {
  if (excluded.some((phrase) => noteHolds(sql, note.note, phrase))) return undefined;
  if (phrases.length === 0) return note;
  const section = note.sections.find((id) => {
    const text = textOf(sql, id);
    return phrases.every((phrase) => holds(text, phrase));
  });
  return section === undefined ? undefined : { ...note, sections: [section] };
}

function noteHolds(sql: Sql, note: number, phrase: SearchPhrase): boolean {
  const first = note * SECTIONS_PER_NOTE;
  const sections = sql.lists<[id: number]>(
    'SELECT rowid FROM sections_fts WHERE sections_fts MATCH ? AND rowid BETWEEN ? AND ?',
    matchTerm(phrase),
    first,
    first + SECTIONS_PER_NOTE - 1,
  );
  const titled = sql.get<{ names: string }>('SELECT names FROM titles_fts WHERE rowid = ?', note);
  if (titled && holds(foldedTokens(titled.names), phrase)) return true;
  return sections.some(([id]) => holds(textOf(sql, id), phrase));
}

function holds(text: string, { text: phrase, prefix }: SearchPhrase): boolean {
  return text.includes(` ${withoutAccents(phrase)}${prefix ? '' : ' '}`);
}

/** A section with the names of its note, as tokens between spaces. */
function textOf(sql: Sql, section: number, length = Number.POSITIVE_INFINITY): string {
  const [names = '', heading = '[]', text = ''] =
    sql.lists<[names: string, heading: string, text: string]>(
      `SELECT t.names, s.heading_path, s.text FROM titles_fts t
        LEFT JOIN sections s ON s.id = ? WHERE t.rowid = ?`,
      section,
      Math.floor(section / SECTIONS_PER_NOTE),
    )[0] ?? [];
  const headings = (JSON.parse(heading ?? '[]') as string[]).join('\n');
  return foldedTokens(`${names}\n${headings}\n${(text ?? '').slice(0, length)}`);
}
