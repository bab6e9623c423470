/**
 * The tokens of a value: runs of letters and digits, which stay as they are in every spelling, and signs.
 */
import { isAlphanumeric } from './escapes.ts';
import { MAX_SPELLING, type Spellings, spellingsOf } from './spellings.ts';
import { maskOf } from './token-sets.ts';

/** The shortest run that is searched for. */
const MIN_ANCHOR = 4;
/**
 * How often an anchor may occur in its value. Verification passes over no second anchor where it
 * occurs once, so the work is linear in the text; each further occurrence adds as much again.
 */
const MAX_OCCURRENCES = 2;
/** A longer run is several tokens, so that no token leads farther than a spelling. */
const MAX_RUN = MAX_SPELLING;
/** Equal signs in a row: each may be read in several ways, so a long row is ambiguous throughout. */
const LONG_ROW = /([^A-Za-z0-9])\1{8}/;

/** A character of the value that may be spelled in any way, and the tokens that it is. */
export interface Sign {
  readonly spellings: Spellings;
  readonly mask: Int32Array;
  /** The tokens that follow those. */
  readonly following: Int32Array;
  /** While a text is read backward: the first position at which a spelling must end. */
  end: number;
}

/** A run of letters and digits as folded bytes, or a sign. */
export type Token = Uint8Array | Sign;

/** Some encoders escape the first letter, too: `RegExp.escape`, and CSS where it is a digit. */
export function partsOf(text: string): string[] {
  const parts = text.match(/^.|[A-Za-z0-9]+|[^A-Za-z0-9]/gsu) ?? [];
  return parts.flatMap((part) => (part.length <= MAX_RUN ? part : (part.match(PIECES) ?? [])));
}

const PIECES = new RegExp(`.{1,${MAX_RUN}}`, 'g');

export function tokensOf(parts: readonly string[]): Token[] {
  const isSign = (index: number): boolean => index === 0 || !isLetters(parts[index]!);
  const signs = new Map<string, Sign>();
  return parts.map((part, index) => {
    if (!isSign(index)) return Buffer.from(part.toLowerCase(), 'latin1');
    const isThis = (other: number): boolean => isSign(other) && parts[other] === part;
    const sign = signs.get(part) ?? {
      spellings: spellingsOf(part),
      mask: maskOf(parts.length, isThis),
      following: maskOf(parts.length + 1, (other) => other > 0 && isThis(other - 1)),
      end: 0,
    };
    signs.set(part, sign);
    return sign;
  });
}

const isLetters = (part: string): boolean => isAlphanumeric(part.charCodeAt(0));

export interface Anchor {
  readonly run: string;
  readonly start: number;
  readonly end: number;
}

/** The runs that occur rarely enough in the value, the longest first. */
export function anchorsOf(text: string, parts: readonly string[]): Anchor[] {
  const folded = text.toLowerCase();
  return runsOf(parts)
    .filter(({ run }) => run.length >= MIN_ANCHOR && occurrences(folded, run) <= MAX_OCCURRENCES)
    .sort((a, b) => b.run.length - a.run.length);
}

/** The runs of letters and digits, but for the first character of the value. */
function runsOf(parts: readonly string[]): Anchor[] {
  const runs: Anchor[] = [];
  for (let start = 1; start < parts.length; ) {
    let end = start;
    while (end < parts.length && isLetters(parts[end]!)) end++;
    if (end > start) runs.push({ run: parts.slice(start, end).join('').toLowerCase(), start, end });
    start = Math.max(end, start + 1);
  }
  return runs;
}

/** Whether few verifications go on for long that begin where the first two characters are. */
export function isFoundByBeginning(text: string): boolean {
  const folded = text.toLowerCase();
  return !LONG_ROW.test(text) && occurrences(folded, folded.slice(0, 2)) <= MAX_OCCURRENCES;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}

export const isRun = (token: Token): token is Uint8Array => token instanceof Uint8Array;

/** No spelling of the tokens has more bytes. */
export const maxLengthOf = (tokens: readonly Token[]): number =>
  tokens.reduce((sum, token) => sum + (isRun(token) ? token.length : MAX_SPELLING), 0);
