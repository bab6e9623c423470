/**
 * From the typed text to an FTS query. There is no syntax that can be wrong: signs, quotes without a
 * partner and operators of SQLite are text like any other.
 */
import {
  compoundParts,
  isUnspaced,
  type SearchPhrase,
  searchablePhrase,
} from '../content/searchable-text.ts';
import { STOP_WORDS } from './stop-words.ts';

export const SEARCH_MODES = ['auto', 'all', 'any', 'phrase', 'substring'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

export interface TypedQuery {
  /** Each word as a whole, in the language of FTS5. */
  readonly words: readonly string[];
  /** The words without stop words, unless there are no others. */
  readonly telling: readonly string[];
  /** Any of these finds a note: words, their parts, and phrases. */
  readonly terms: readonly SearchPhrase[];
  /** `"quoted"`: every hit has them to the letter, case and accents aside. */
  readonly phrases: readonly SearchPhrase[];
  /** `-word`, `-"two words"`: no note that has them is a hit. */
  readonly excluded: readonly SearchPhrase[];
  /** `tag:name`. */
  readonly tags: readonly string[];
  /** `path:part`. */
  readonly paths: readonly string[];
}

const MAX_WORDS = 24;
const MAX_TERMS = 64;
const MAX_CONDITIONS = 8;
const MAX_QUERY_LENGTH = 1000;
const TYPED = /(?:-|tag:|path:)?"[^"]*"|[^\s"]+/giu;
/** A sign before a single letter is an option of a program, as in `ls -l`. */
const OPERATOR = /^(?:(?<field>tag|path):(?=[^\s:"]|"[^"])|-(?=[\p{L}\p{N}]{2}|"[^"]))/iu;

interface TypedWord {
  readonly whole: string;
  readonly terms: readonly SearchPhrase[];
  readonly isStop: boolean;
}

export function readQuery(query: string, mode: SearchMode = 'auto'): TypedQuery {
  const typed = query.slice(0, MAX_QUERY_LENGTH).toWellFormed();
  const words = new Map<string, TypedWord>();
  const phrases: SearchPhrase[] = [];
  const excluded: SearchPhrase[] = [];
  const conditions = { tag: [] as string[], path: [] as string[] };
  for (const [part] of mode === 'phrase' ? [[`"${typed}"`]] : typed.matchAll(TYPED)) {
    const operator = mode === 'phrase' ? null : OPERATOR.exec(part!);
    const rest = part!.slice(operator?.[0].length ?? 0);
    const text = rest.replaceAll('"', '');
    const field = operator?.groups?.field?.toLowerCase() as 'tag' | 'path' | undefined;
    const phrase = searchablePhrase(text);
    if (field) conditions[field].push(text);
    else if (phrase && operator) excluded.push(phrase);
    else if (phrase && rest.startsWith('"')) phrases.push(phrase);
    else if (phrase && words.size < MAX_WORDS) words.set(phrase.text, readWord(text, phrase));
  }
  const all = [...words.values()];
  const telling = all.some(({ isStop }) => !isStop) ? all.filter(({ isStop }) => !isStop) : all;
  const terms = new Map(
    [...phrases, ...telling.flatMap((word) => word.terms)].map((term) => [term.text, term]),
  );
  return {
    words: all.map(({ whole }) => whole),
    telling: telling.map(({ whole }) => whole),
    terms: [...terms.values()].slice(0, MAX_TERMS),
    phrases: phrases.slice(0, MAX_CONDITIONS),
    excluded: excluded.slice(0, MAX_CONDITIONS),
    tags: conditions.tag.slice(0, MAX_CONDITIONS),
    paths: conditions.path.slice(0, MAX_CONDITIONS),
  };
}

/** The query of FTS5 that asks for one term: always a quoted string. */
export function matchTerm({ text, prefix, stems = [] }: SearchPhrase): string {
  return [`"${text}"${prefix ? ' *' : ''}`, ...stems.map((stem) => `"${stem}"`)].join(' OR ');
}

export function matchAll(words: readonly string[]): string {
  return words.map((word) => `(${word})`).join(' AND ');
}

/**
 * `foo-bar` is found as it is and by `foo` and `bar`, `camelCase` by its parts, a run of Chinese or
 * Japanese by its pairs. Signs and single letters say nothing by themselves.
 */
function readWord(typed: string, phrase: SearchPhrase): TypedWord {
  const lower = { ...phrase, text: phrase.text.toLowerCase() };
  const tokens = lower.text.split(' ');
  const parts = compoundParts(typed.normalize('NFKC')).map((part) => part.toLowerCase());
  const asParts = parts.length > 1 ? [{ text: parts.join(' '), prefix: false }] : [];
  const pieces = [...tokens, ...parts]
    .filter((piece) => isUnspaced(piece) || (piece.length > 1 && !STOP_WORDS.has(piece)))
    .map((text) => ({ text, prefix: isUnspaced(text) && [...text].length === 1 }));
  const hasSigns = /\p{Co}/u.test(lower.text);
  const isRun = tokens.some(isUnspaced);
  return {
    whole: [lower, ...asParts].map(matchTerm).join(' OR '),
    terms: hasSigns ? [lower] : isRun ? pieces : [lower, ...asParts, ...pieces],
    isStop: STOP_WORDS.has(lower.text),
  };
}
