/**
 * The tokens of a value: runs of letters and digits, which stay as they are in every spelling, and signs.
 */
import { isAlphanumeric } from './escapes.ts';
import { FOLD } from './fold.ts';
import type { SignReader } from './sign-reader.ts';
import { MAX_SPELLING, type Spellings, spellingsOf } from './spellings.ts';
import { maskOf } from './token-sets.ts';

/** A longer run is several tokens, so that no token leads farther than a spelling. */
const MAX_RUN = MAX_SPELLING;
const PIECES = new RegExp(`.{1,${MAX_RUN}}`, 'g');

/** Some encoders escape the first letter, too: `RegExp.escape`, and CSS where it is a digit. */
export function partsOf(text: string): string[] {
  const parts = text.match(/^.|[A-Za-z0-9]+|[^A-Za-z0-9]/gsu) ?? [];
  return parts.flatMap((part) => (part.length <= MAX_RUN ? part : (part.match(PIECES) ?? [])));
}

export const isLetters = (part: string): boolean => isAlphanumeric(part.charCodeAt(0));

/** Folded bytes, and the tokens that they are. */
export interface Run {
  readonly bytes: Uint8Array;
  readonly last: number;
  readonly mask: Int32Array;
}

/** A character that may be spelled in any way. */
export interface Sign {
  readonly spellings: Spellings;
  /** While a text is read backward: the first position at which a spelling must end. */
  end: number;
}

export type Token = Run | Sign;

/** The tokens of a value. The first may be a letter that is escaped, so it is always a sign. */
export class Tokens {
  readonly list: readonly Token[];
  readonly first: Sign;
  /** The number of the first, unless it is a letter or digit. */
  readonly firstNumber: number | undefined;
  /** By the number of a sign, the tokens that it is, but for the first. */
  readonly signs: (Int32Array | undefined)[] = [];
  /** By the first and the last of their bytes. */
  readonly beginning: readonly Run[][] = Array.from({ length: 128 }, () => []);
  readonly ending: readonly Run[][] = Array.from({ length: 128 }, () => []);

  constructor(parts: readonly string[], reader: SignReader) {
    const folded = parts.map((part) => (isLetters(part) ? part.toLowerCase() : part));
    const tokenOf = (part: string): Token => {
      const mask = maskOf(parts.length, (token) => token > 0 && folded[token] === part);
      if (!isLetters(part)) {
        this.signs[reader.numberOf(part)!] = mask;
        return { spellings: spellingsOf(part), end: 0 };
      }
      const bytes = Buffer.from(part, 'latin1');
      const run = { bytes, last: bytes.at(-1)!, mask };
      this.beginning[bytes[0]!]!.push(run);
      this.ending[run.last]!.push(run);
      return run;
    };
    const known = new Map<string, Token>();
    for (const part of folded.slice(1)) if (!known.has(part)) known.set(part, tokenOf(part));
    this.firstNumber = reader.numberOf(parts[0]!);
    this.first = { spellings: spellingsOf(parts[0]!), end: 0 };
    this.list = folded.map((part, index) => (index === 0 ? this.first : known.get(part)!));
  }

  /** Whether a spelling of a token may begin with a byte. */
  mayBegin(index: number, byte: number): boolean {
    const token = this.list[index];
    if (token === undefined) return false;
    return isRun(token) ? token.bytes[0] === FOLD[byte] : token.spellings.begins[byte] === 1;
  }

  /** Whether a spelling of the tokens from one on may begin with two bytes. */
  mayBeginWith(index: number, byte: number, next: number): boolean {
    if (!this.mayBegin(index, byte)) return false;
    const token = this.list[index]!;
    if (isRun(token)) {
      if (token.bytes.length > 1) return token.bytes[1] === FOLD[next];
    } else {
      const { spellings } = token;
      const state = spellings.step(spellings.start, byte);
      if (spellings.step(state, next) !== 0) return true;
      if (spellings.accepted(state).length === 0) return false;
    }
    return this.mayBegin(index + 1, next);
  }

  /** No spelling of the tokens from one on has more bytes. */
  maxLengthFrom(first: number): number {
    return this.list
      .slice(first)
      .reduce((sum, token) => sum + (isRun(token) ? token.bytes.length : MAX_SPELLING), 0);
  }
}

export const isRun = (token: Token): token is Run => 'bytes' in token;
