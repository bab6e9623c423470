/**
 * A value whose signs may each be spelled in any way, prepared for matching.
 *
 * Runs of ASCII letters and digits stay as they are in every spelling. The longest of them is the
 * anchor: it is searched for, and the rest is verified to its right and its left.
 */
import { FOLD, foldCase } from './fold.ts';
import { MAX_SPELLING } from './spellings.ts';
import { TokenSets } from './token-sets.ts';
import {
  type Anchor,
  anchorsOf,
  isFoundByBeginning,
  isRun,
  maxLengthOf,
  partsOf,
  type Sign,
  type Token,
  tokensOf,
} from './tokens.ts';

/** The bytes at hand: all there are for what is verified in them. */
export interface Window {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** How many bytes verification has read, for the tests of the linear bound. */
  steps: number;
}

export const NONE = -1;

export class SpelledValue {
  /** The value in plain text, and the run that is searched for, if one is, as folded bytes. */
  readonly raw: string;
  readonly anchor: string | undefined;
  /** No spelling has more bytes. */
  readonly maxLength: number;
  /** No spelling has more bytes from its anchor on. */
  readonly lengthFromAnchor: number;
  /** Of the tokens, the anchor is those from here to `#anchorEnd`. */
  readonly #anchorStart: number;
  readonly #anchorEnd: number;
  readonly #tokens: readonly Token[];
  /** Made when a text is ambiguous: most are not. */
  #tokenSets: TokenSets | undefined;
  readonly #text: string;
  readonly #candidates: readonly Anchor[];
  /** Where the spellings that were read last end, or begin. */
  readonly #found: number[] = [];

  private constructor(
    text: string,
    parts: readonly string[],
    candidates: readonly Anchor[],
    anchor: Anchor | undefined,
  ) {
    this.#text = text;
    this.#candidates = candidates;
    this.raw = foldCase(Buffer.from(text).toString('latin1'));
    this.anchor = anchor?.run;
    this.#anchorStart = anchor?.start ?? 0;
    this.#anchorEnd = anchor?.end ?? 0;
    this.#tokens = tokensOf(parts);
    this.maxLength = maxLengthOf(this.#tokens);
    this.lengthFromAnchor = maxLengthOf(this.#tokens.slice(this.#anchorStart));
  }

  /** The value, unless it has no sign, or no spelling of it can be searched for in linear time. */
  static of(text: string): SpelledValue | undefined {
    if (!/[^A-Za-z0-9]/.test(text)) return undefined;
    const parts = partsOf(text);
    const candidates = anchorsOf(text, parts);
    if (candidates.length === 0 && !isFoundByBeginning(text)) return undefined;
    return new SpelledValue(text, parts, candidates, candidates[0]);
  }

  /** The runs that may be the anchor. */
  get runs(): string[] {
    return this.#candidates.map(({ run }) => run);
  }

  /** The same value, searched for by the run that the fewest secrets have. */
  withRarestAnchor(secretsWith: (run: string) => number): SpelledValue {
    if (this.anchor === undefined || secretsWith(this.anchor) === 1) return this;
    const [rarest] = this.#candidates.toSorted((a, b) => secretsWith(a.run) - secretsWith(b.run));
    return new SpelledValue(this.#text, partsOf(this.#text), this.#candidates, rarest);
  }

  /** Whether a spelling may begin with a byte. */
  mayBegin(byte: number): boolean {
    return (this.#tokens[0] as Sign).spellings.mayBegin(byte);
  }

  /** Whether a spelling may begin with two bytes. */
  mayBeginWith(byte: number, next: number): boolean {
    const { spellings } = this.#tokens[0] as Sign;
    const state = spellings.step(spellings.start, byte);
    if (state === 0) return false;
    if (spellings.step(state, next) !== 0) return true;
    const second = this.#tokens[1];
    if (spellings.accepted(state) === 0 || second === undefined) return false;
    return isRun(second) ? second[0] === FOLD[next] : second.spellings.mayBegin(next);
  }

  /** The farthest end of a spelling whose anchor is at `at`, or `NONE`. */
  endAround(window: Window, at: number): number {
    return this.#farthestEnd(window, this.#anchorEnd, at + this.anchor!.length);
  }

  /** The farthest end of a spelling that begins at `at`, or `NONE`. */
  endFrom(window: Window, at: number): number {
    return this.#farthestEnd(window, 0, at);
  }

  /** The farthest end of a spelling of the tokens from `first` on, or `NONE`. */
  #farthestEnd(window: Window, first: number, from: number): number {
    let at = from;
    for (let index = first; index < this.#tokens.length; index++) {
      const token = this.#tokens[index]!;
      if (isRun(token)) {
        if (!holdsRun(window, at, token)) return NONE;
        at += token.length;
      } else {
        const count = this.#readEnds(window, token, at);
        if (count === 0) return NONE;
        if (count > 1) return this.#farthestEndOfAll(window, index, at);
        at = this.#found[0]!;
      }
    }
    return at;
  }

  /** The same where a sign may be read in several ways. */
  #farthestEndOfAll(window: Window, first: number, from: number): number {
    this.#tokenSets ??= new TokenSets(this.#tokens.length);
    const sets = this.#tokenSets;
    let last = from;
    let end = NONE;
    sets.add(from, first);
    for (let at = from; at <= last; at++) {
      const high = sets.high(at);
      for (let word = sets.low(at); word <= high; word++) {
        for (let bits = sets.at(at, word); bits !== 0; ) {
          const index = 31 - Math.clz32(bits);
          const token = this.#tokens[word * 32 + index];
          if (token === undefined) {
            end = at;
            bits &= ~(1 << index);
          } else if (isRun(token)) {
            if (holdsRun(window, at, token)) {
              last = Math.max(last, at + token.length);
              sets.add(at + token.length, word * 32 + index + 1);
            }
            bits &= ~(1 << index);
          } else {
            const tokens = bits & token.mask[word]!;
            const count = this.#readEnds(window, token, at);
            for (let each = 0; each < count; each++) {
              last = Math.max(last, this.#found[each]!);
              sets.addFollowing(this.#found[each]!, word, tokens);
            }
            bits &= ~tokens;
          }
        }
      }
      sets.clear(at);
    }
    return end;
  }

  /** The farthest beginning of a spelling whose anchor is at `anchor`, or `NONE`. */
  startAround(window: Window, anchor: number): number {
    let at = anchor;
    for (let index = this.#anchorStart - 1; index >= 0; index--) {
      const token = this.#tokens[index]!;
      if (isRun(token)) {
        at -= token.length;
        if (at < window.from || !holdsRun(window, at, token)) return NONE;
      } else {
        const count = this.#readStarts(window, token, this.#tokens[index - 1], at);
        if (count === 0) return NONE;
        if (count > 1) return this.#farthestStartOfAll(window, index + 1, at);
        at = this.#found[0]!;
      }
    }
    return at;
  }

  /** The same where a sign may be read in several ways: before the token `first`, which is at `from`. */
  #farthestStartOfAll(window: Window, first: number, from: number): number {
    this.#tokenSets ??= new TokenSets(this.#tokens.length);
    const sets = this.#tokenSets;
    const wanted: Sign[] = [];
    let least = from;
    let start = NONE;
    let at = from;
    sets.add(from, first);
    for (; at >= window.from && (at >= least || wanted.length > 0); at--) {
      sets.clear(at + MAX_SPELLING + 1);
      for (let index = wanted.length - 1; index >= 0; index--) {
        const sign = wanted[index]!;
        if (!isWithinReach(window, sign, at)) {
          wanted.splice(index, 1);
        } else if (sign.spellings.mayBegin(window.bytes[at]!)) {
          const count = this.#readEnds(window, sign, at);
          for (let each = 0; each < count; each++) {
            sets.addPreceding(at, this.#found[each]!, sign.mask);
          }
        }
      }
      const high = sets.high(at);
      for (let word = sets.low(at); word <= high; word++) {
        for (let bits = sets.at(at, word); bits !== 0; ) {
          const index = 31 - Math.clz32(bits);
          const token = this.#tokens[word * 32 + index - 1];
          if (token === undefined) {
            start = at;
            bits &= ~(1 << index);
          } else if (isRun(token)) {
            const before = at - token.length;
            if (before >= window.from && holdsRun(window, before, token)) {
              least = Math.min(least, before);
              sets.add(before, word * 32 + index - 1);
            }
            bits &= ~(1 << index);
          } else {
            if (!wanted.includes(token)) wanted.push(token);
            token.end = at;
            bits &= ~token.following[word]!;
          }
        }
      }
    }
    for (let each = at + 1; each <= at + MAX_SPELLING + 1; each++) sets.clear(each);
    return start;
  }

  /** Reads the spellings of a sign that begin at a position. Returns how many ends they have. */
  #readEnds(window: Window, { spellings }: Sign, from: number, before = window.to): number {
    const { bytes } = window;
    const to = Math.min(before, from + MAX_SPELLING);
    let state = spellings.start;
    let count = 0;
    let at = from;
    while (at < to) {
      state = spellings.step(state, bytes[at]!);
      at++;
      if (state === 0) break;
      if (spellings.accepted(state) === 0) continue;
      this.#found[count++] = at;
      if (spellings.isFinal(state)) break;
    }
    window.steps += at - from;
    return count;
  }

  /**
   * Reads the spellings of a sign that end at a position and may have the token before the sign in
   * front of them. Returns whether there are none, one or several.
   */
  #readStarts(window: Window, sign: Sign, before: Token | undefined, end: number): number {
    let count = 0;
    let start = NONE;
    sign.end = end;
    for (let at = end - 1; count < 2 && isWithinReach(window, sign, at); at--) {
      if (!mayEndAt(window, before, at) || !sign.spellings.mayBegin(window.bytes[at]!)) continue;
      const ends = this.#readEnds(window, sign, at, end);
      if (ends === 0 || this.#found[ends - 1] !== end) continue;
      start = at;
      count++;
    }
    this.#found[0] = start;
    return count;
  }
}

function mayEndAt({ bytes, from }: Window, token: Token | undefined, end: number): boolean {
  if (token === undefined) return true;
  if (end <= from) return false;
  const byte = bytes[end - 1]!;
  return isRun(token) ? token.at(-1) === FOLD[byte] : token.spellings.mayEnd(byte);
}

/** Whether a spelling may begin here that ends at the last place where one is wanted, or before. */
function isWithinReach({ bytes, from }: Window, { spellings, end }: Sign, at: number): boolean {
  if (at < from || at < end - MAX_SPELLING) return false;
  return at === end - 1 || spellings.mayHold(bytes[at]!, bytes[at + 1]!);
}

function holdsRun(window: Window, at: number, run: Uint8Array): boolean {
  const { bytes } = window;
  window.steps++;
  if (at + run.length > window.to) return false;
  for (let index = 0; index < run.length; index++) {
    if (FOLD[bytes[at + index]!] !== run[index]) return false;
    window.steps++;
  }
  return true;
}
