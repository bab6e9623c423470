/**
 * Text as the full-text index sees it. SQLite's own tokenizer splits at everything that is not a
 * letter, a mark or a digit and folds case and accents; four things it cannot do are done here, and in
 * the same way for notes and for queries:
 * - Chinese, Japanese and Korean have no spaces between words, so a run of them becomes its pairs
 *   of neighbours and its last character: `東京都` is `東京 京都 都`. Every character then starts
 *   a token, and a single one is found as a prefix.
 * - `C++`, `C#` and `F#` would all be one letter, so their signs become tokens of their own.
 * - Full-width letters, ligatures and decomposed accents become their plain forms (NFKC).
 * - Points of Arabic and Hebrew, which most texts leave out, are left out.
 */
import { OPTIONAL_MARKS } from '../store/folded-text.ts';

/** All but ASCII and the accented letters of Latin-1, which NFKC leaves as they are. */
const NOT_PLAIN = '[^\\x00-\\x7f\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\xff]';
const HAS_NOT_PLAIN = new RegExp(NOT_PLAIN);
/**
 * The places to normalize: words that are not plain, with the spaces and signs between them, and the
 * character before, which a mark may join. Where one paragraph in 25 is Japanese, this takes a fifth
 * of the time that normalizing whole texts takes: 8 instead of 39 ns a character.
 */
const NOT_PLAIN_RUN = new RegExp(`[^]?${NOT_PLAIN}+(?:[\\x00-\\x40]{1,2}${NOT_PLAIN}+)*`, 'g');
const SIGNS = /(?<=[\p{L}\p{N}])(?:\+\+|#)(?![\p{L}\p{N}+#])/gu;
const MAY_HAVE_SIGNS = /[a-z0-9](?:\+\+|#)/i;
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー々〆';
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, 'gu');
const MAY_HAVE_UNSPACED = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff66-\uffdc\ud800-\udbff]/;
const NOT_ASCII = /[^\x00-\x7f]/;
/** The same for lower-case ASCII, which is read ten times as quickly so. */
const NO_ASCII_TOKEN = /[^a-z0-9]+/g;
const NO_TOKEN = /[^\p{L}\p{M}\p{N}\p{Co}]+/gu;

/** Characters for private use count as letters to the tokenizer, and no note means them. */
const SIGN_TOKENS: Readonly<Record<string, string>> = { '++': ' \ue000 ', '#': ' \ue001 ' };

export function searchableText(text: string): string {
  const signed = withSignTokens(text);
  return HAS_NOT_PLAIN.test(signed) ? signed.replace(NOT_PLAIN_RUN, searchableRun) : signed;
}

function searchableRun(run: string): string {
  const plain = run.normalize('NFKC').replace(OPTIONAL_MARKS, '');
  return MAY_HAVE_UNSPACED.test(plain)
    ? plain.replace(UNSPACED_RUN, (run) => ` ${pairs(run, true)} `)
    : plain;
}

export interface SearchPhrase {
  /** Letters, digits and single spaces only, so that it is valid in any query. */
  readonly text: string;
  /** The last token is one character of an unspaced script: it is the start of a pair. */
  readonly prefix: boolean;
  /** Other tokens that find it as well. */
  readonly stems?: readonly string[];
}

/** What a user typed, as a phrase that finds it; undefined where there is no letter in it. */
export function searchablePhrase(typed: string): SearchPhrase | undefined {
  const composed = withSignTokens(typed.toWellFormed()).normalize('NFKC');
  const plain = composed.replace(OPTIONAL_MARKS, '');
  const spaced = plain.replace(UNSPACED_RUN, (run, at: number) => {
    const isLast = !/[\p{L}\p{N}\p{Co}]/u.test(plain.slice(at + run.length));
    return ` ${pairs(run, !isLast)} `;
  });
  const text = spaced.replace(NO_TOKEN, ' ').trim();
  if (!/[\p{L}\p{N}\p{Co}]/u.test(text)) return undefined;
  const last = [...text.slice(text.lastIndexOf(' ') + 1)];
  return { text, prefix: last.length === 1 && isUnspaced(last[0]!) };
}

/** Tokens between spaces, as the tokenizer takes them: for looking a phrase up in a short text. */
export function foldedTokens(text: string): string {
  const folded = withoutAccents(searchableText(text));
  const between = NOT_ASCII.test(folded) ? NO_TOKEN : NO_ASCII_TOKEN;
  return ` ${folded.replace(between, ' ').trim()} `;
}

/** Case and accents gone, as the tokenizer does it. */
export function withoutAccents(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  const folded = text.normalize('NFD').replace(/\p{M}+/gu, '');
  return folded.toLowerCase().normalize('NFC');
}

/** Whether a word begins with a character of a script without spaces. */
export function isUnspaced(word: string): boolean {
  return word.search(UNSPACED_RUN) === 0;
}

function withSignTokens(text: string): string {
  return MAY_HAVE_SIGNS.test(text) ? text.replace(SIGNS, (sign) => SIGN_TOKENS[sign]!) : text;
}

function pairs(run: string, withLast: boolean): string {
  const characters = [...run];
  if (characters.length === 1) return run;
  let text = '';
  for (let index = 0; index + 1 < characters.length; index++) {
    text += `${characters[index]}${characters[index + 1]} `;
  }
  return withLast ? text + characters.at(-1) : text.trimEnd();
}

const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/** Longer ones, and those of more parts, are keys and hashes. */
const MAX_COMPOUND = 80;
const MAX_PARTS = 8;

/** Letter case changes within a name, or letters and digits meet: at `aB`, `HTMLe`, `v1`. */
const SEAM = /[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z][0-9]|[A-Z]{2}[a-z]/g;

/**
 * The parts of `camelCase`, `utf8` and `v1.2`, which the tokenizer takes as one word. A regular
 * expression finds the seams in a fifth of the time of a loop over the characters.
 */
export function searchableParts(text: string): string {
  const names = new Set<string>();
  SEAM.lastIndex = 0;
  for (let seam = SEAM.exec(text); seam !== null; seam = SEAM.exec(text)) {
    let [start, end] = [seam.index, SEAM.lastIndex];
    while (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) start--;
    while (end < text.length && isInName(text.charCodeAt(end))) end++;
    names.add(text.slice(start, end));
    SEAM.lastIndex = end;
  }
  const parts = [...names].map(compoundParts).filter(({ length }) => length > 1);
  return [...new Set(parts.map((words) => words.join(' ')))].join('\n');
}

function isAlphanumeric(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

function isInName(code: number): boolean {
  return isAlphanumeric(code) || code === UNDERSCORE || code === DASH || code === DOT;
}

const [UNDERSCORE, DASH, DOT] = [95, 45, 46];

export function compoundParts(word: string): string[] {
  const parts = word.length > MAX_COMPOUND ? [] : (word.match(PART) ?? []);
  return parts.length > MAX_PARTS ? [] : parts;
}
