/**
 * Stems of words by Snowball, for languages other than English. A stem is indexed beside the words
 * of its section, behind a character that marks the language and that no text has, so that it
 * is found only by a word of that stem, and the very form still ranks higher.
 */
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { memoize } from '../../../core/memoize.ts';
import type { Language } from './note-language.ts';
import { withoutAccents } from './searchable-text.ts';

const STEMMERS: Readonly<Record<Language, (word: string) => string>> = {
  danish,
  dutch,
  finnish,
  french,
  german,
  italian,
  norwegian,
  portuguese,
  russian,
  spanish,
  swedish,
};
/** Characters for private use, which are letters to the tokenizer; the first ones are signs. */
const FIRST_MARK = 0xe010;
const MIN_LETTERS = 3;
const MAX_LETTERS = 40;

const STEM_OF = new Map(
  Object.entries(STEMMERS).map(([language, stemmer], place) => {
    const mark = String.fromCharCode(FIRST_MARK + place);
    return [language as Language, memoize((word) => mark + withoutAccents(stemmer(word)))] as const;
  }),
);
export const STEMMED_LANGUAGES = [...STEM_OF.keys()];

/** The stems of the words of a text, each once. */
export function searchableStems(text: string, language: Language): string {
  const stem = STEM_OF.get(language)!;
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  return [...new Set([...words].filter(hasStem).map(stem))].join(' ');
}

/** The stem of one typed word in each of the languages. */
export function stemsOfWord(word: string, languages: readonly Language[]): string[] {
  if (!/^\p{L}+$/u.test(word) || !hasStem(word)) return [];
  return languages.map((language) => STEM_OF.get(language)!(word));
}

function hasStem({ length }: string): boolean {
  return length >= MIN_LETTERS && length <= MAX_LETTERS;
}
