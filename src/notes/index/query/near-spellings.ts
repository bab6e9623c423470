/** Other spellings of words that no note has: one letter more, less, another, or two changed about. */

import { isUnspaced, type SearchPhrase } from '../content/searchable-text.ts';
import type { Sql } from '../store/sql.ts';
import { matchTerm } from './match-query.ts';
import { hasSection, type WeighedTerm, weighTerms } from './search-candidates.ts';

const MIN_LETTERS = 5;
const MAX_LETTERS = 20;
const MAX_WORDS = 3;
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ',
  'αβγδεζηθικλμνξοπρστυφχψω',
];

/** The terms, and instead of each word that no section has the near spelling that most have. */
export function correctSpellings(sql: Sql, terms: readonly WeighedTerm[]): readonly WeighedTerm[] {
  const unknown = terms.filter(({ term, sections }) => sections === 0 && isPlainWord(term));
  const corrected = new Map(
    unknown.slice(0, MAX_WORDS).map((unknown) => {
      const spellings = [...editsOf(unknown.term.text)].map((text) => ({ text, prefix: false }));
      const known = spellings.filter((term) => hasSection(sql, matchTerm(term)));
      return [unknown, weighTerms(sql, known).at(-1)];
    }),
  );
  if (unknown.length === 0) return terms;
  return terms.map((term) => corrected.get(term) ?? term).sort((a, b) => a.sections - b.sections);
}

function isPlainWord({ text, prefix }: SearchPhrase): boolean {
  const { length } = text;
  return (
    !prefix &&
    !isUnspaced(text) &&
    /^\p{L}+$/u.test(text) &&
    length >= MIN_LETTERS &&
    length <= MAX_LETTERS
  );
}

function editsOf(word: string): Set<string> {
  const letters = ALPHABETS.find((alphabet) =>
    [...word].some((letter) => alphabet.includes(letter)),
  );
  const edits = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after.length > 0) edits.add(before + after.slice(1));
    if (after.length > 1) edits.add(before + after[1] + after[0] + after.slice(2));
    for (const letter of letters ?? '') {
      edits.add(before + letter + after);
      if (after.length > 0) edits.add(before + letter + after.slice(1));
    }
  }
  return edits;
}
