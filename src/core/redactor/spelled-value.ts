/**
 * A value whose signs may each be spelled in any way. Where its anchor is found, the rest is verified to
 * the right and to the left, in all readings at once.
 */
import type { Anchor, Spellable } from './anchors.ts';
import { FOLD, foldCase } from './fold.ts';
import { greatestIn, leastIn, NONE, type SignReader, signIn, type Window } from './sign-reader.ts';
import { MAX_SPELLING } from './spellings.ts';
import { TokenSets } from './token-sets.ts';
import { isRun, type Run, type Sign, type Token, Tokens } from './tokens.ts';

const NO_RUNS: readonly Run[] = [];

export class SpelledValue {
  /** The value in plain text, and the run that is searched for, if one is, as folded bytes. */
  readonly raw: string;
  readonly anchor: string | undefined;
  /** No spelling has more bytes. */
  readonly maxLength: number;
  /** No spelling has more bytes from its anchor on, or from its pair on. */
  readonly lengthFromAnchor: number;
  /** Of the tokens, the anchor is those from here to `#anchorEnd`; without one, the pair is from here on. */
  readonly #anchorStart: number;
  readonly #anchorEnd: number;
  readonly #tokens: Tokens;
  readonly #reader: SignReader;
  /** Created on demand: most texts are not ambiguous. */
  #tokenSets: TokenSets | undefined;
  /** Where the spellings that were read last end, or begin. */
  readonly #found: number[] = [];

  /** `reader` knows all characters of the value that are no ASCII letters and digits. */
  constructor({ text, parts, pairAt }: Spellable, anchor: Anchor | undefined, reader: SignReader) {
    this.raw = foldCase(Buffer.from(text).toString('latin1'));
    this.anchor = anchor?.run;
    this.#anchorStart = anchor?.start ?? pairAt;
    this.#anchorEnd = anchor?.end ?? pairAt;
    this.#reader = reader;
    this.#tokens = new Tokens(parts, reader);
    this.maxLength = this.#tokens.maxLengthFrom(0);
    this.lengthFromAnchor = this.#tokens.maxLengthFrom(this.#anchorStart);
  }

  /** Whether the pair may begin with a byte. */
  mayBegin(byte: number): boolean {
    return this.#tokens.mayBegin(this.#anchorStart, byte);
  }

  /** Whether the pair may begin with two bytes. */
  mayBeginWith(byte: number, next: number): boolean {
    return this.#tokens.mayBeginWith(this.#anchorStart, byte, next);
  }

  /** The farthest end of a spelling whose anchor or pair is at `at`, or `NONE`. */
  endAround(window: Window, at: number): number {
    return this.#farthestEnd(window, this.#anchorEnd, at + (this.anchor?.length ?? 0));
  }

  /** The farthest end of a spelling of the tokens from `first` on, or `NONE`. */
  #farthestEnd(window: Window, first: number, from: number): number {
    const { list } = this.#tokens;
    let at = from;
    for (let index = first; index < list.length; index++) {
      const token = list[index]!;
      if (isRun(token)) {
        if (!holdsRun(window, at, token)) return NONE;
        at += token.bytes.length;
      } else {
        const count = this.#readEnds(window, token, at);
        if (count === 0) return NONE;
        if (count > 1) return this.#farthestEndOfAll(window, index + 1, count);
        at = this.#found[0]!;
      }
    }
    return at;
  }

  /** The same where the token before `index` has ended in several places. */
  #farthestEndOfAll(window: Window, index: number, count: number): number {
    const { length } = this.#tokens.list;
    this.#tokenSets ??= new TokenSets(length);
    const sets = this.#tokenSets;
    let last = this.#found[count - 1]!;
    let end = NONE;
    for (let each = 0; each < count; each++) sets.add(this.#found[each]!, index);
    for (let at = this.#found[0]!; at <= last; at++) {
      if (sets.isEmpty(at)) continue;
      window.steps++;
      if (sets.has(at, length)) end = at;
      if (at < window.to) last = Math.max(last, this.#advance(window, sets, at));
      sets.clear(at);
    }
    return end;
  }

  /** Reads all tokens that begin at a position. Returns the farthest end of one. */
  #advance(window: Window, sets: TokenSets, at: number): number {
    const { signs, beginning } = this.#tokens;
    const reader = this.#reader;
    const byte = FOLD[window.bytes[at]!]!;
    let last = at;
    for (const run of beginning[byte] ?? NO_RUNS) {
      const end = at + run.bytes.length;
      if (!sets.takeNext(at, run.mask) || !holdsRun(window, at, run)) continue;
      sets.put(end);
      last = Math.max(last, end);
    }
    if (reader.begins[byte] === 0) return last;
    reader.readAt(window, at);
    for (let each = reader.first; each < reader.last; each++) {
      const reading = reader.readings[each]!;
      const mask = signs[signIn(reading)];
      if (mask === undefined || !sets.takeNext(at, mask)) continue;
      const end = at + greatestIn(reading);
      window.steps += end - at;
      for (let next = at + leastIn(reading); next <= end; next++) sets.put(next);
      last = Math.max(last, end);
    }
    return last;
  }

  /** The farthest beginning of a spelling whose anchor or pair is at `anchor`, or `NONE`. */
  startAround(window: Window, anchor: number): number {
    const { list } = this.#tokens;
    let at = anchor;
    for (let index = this.#anchorStart - 1; index >= 0; index--) {
      const token = list[index]!;
      if (isRun(token)) {
        at -= token.bytes.length;
        if (at < window.from || !holdsRun(window, at, token)) return NONE;
      } else {
        const count = this.#readStarts(window, token, list[index - 1], at);
        if (count === 0) return NONE;
        if (count > 1) return this.#farthestStartOfAll(window, index + 1, at);
        at = this.#found[0]!;
      }
    }
    return at;
  }

  /** The same where a sign may be read in several ways: before the token `index`, which is at `from`. */
  #farthestStartOfAll(window: Window, index: number, from: number): number {
    const { first } = this.#tokens;
    this.#tokenSets ??= new TokenSets(this.#tokens.list.length);
    const sets = this.#tokenSets;
    const { begins } = this.#reader;
    let start = NONE;
    // Tokens are at no place before this.
    let least = from;
    let isNearFirst = index === 1;
    let at = from;
    first.end = from;
    sets.add(from, index);
    for (;;) {
      if (!sets.isEmpty(at)) {
        least = Math.min(least, this.#readRunsBackward(window, sets, at));
        if (sets.has(at, 1)) {
          first.end = at;
          isNearFirst = true;
        }
      }
      sets.clear(at + MAX_SPELLING);
      at--;
      if (at < window.from) break;
      isNearFirst &&= isWithinReach(window, first, at);
      if (!isNearFirst && at < least && this.#reader.reachOf(window, at) < least) break;
      if (begins[window.bytes[at]!] === 1) this.#readBackward(window, sets, at);
      if (isNearFirst && this.#beginsAt(window, sets, at)) start = at;
    }
    for (let each = at + 1; each <= at + MAX_SPELLING; each++) sets.clear(each);
    return start;
  }

  /** Reads the signs that begin at a position, but for the first of the value. */
  #readBackward(window: Window, sets: TokenSets, at: number): void {
    const { signs } = this.#tokens;
    const reader = this.#reader;
    reader.readAt(window, at);
    for (let each = reader.first; each < reader.last; each++) {
      const reading = reader.readings[each]!;
      const mask = signs[signIn(reading)];
      if (mask === undefined) continue;
      const greatest = greatestIn(reading);
      window.steps += greatest;
      if (sets.takePrevious(at + leastIn(reading), at + greatest, mask)) sets.put(at);
    }
  }

  /** Whether the first sign begins at a position, and the second token behind it. */
  #beginsAt(window: Window, sets: TokenSets, at: number): boolean {
    const { first, firstNumber } = this.#tokens;
    const reader = this.#reader;
    if (first.spellings.begins[window.bytes[at]!] === 0) return false;
    if (firstNumber === undefined) {
      const count = this.#readEnds(window, first, at);
      for (let each = 0; each < count; each++) if (sets.has(this.#found[each]!, 1)) return true;
      return false;
    }
    reader.readAt(window, at);
    for (let each = reader.first; each < reader.last; each++) {
      const reading = reader.readings[each]!;
      if (signIn(reading) !== firstNumber) continue;
      const greatest = at + greatestIn(reading);
      for (let end = at + leastIn(reading); end <= greatest; end++) {
        if (sets.has(end, 1)) return true;
      }
    }
    return false;
  }

  /** Reads the runs that end at a position. Returns the first beginning of a token. */
  #readRunsBackward(window: Window, sets: TokenSets, at: number): number {
    let least = at;
    if (at === window.from) return least;
    for (const run of this.#tokens.ending[FOLD[window.bytes[at - 1]!]!] ?? NO_RUNS) {
      const before = at - run.bytes.length;
      if (before < window.from || !sets.takePrevious(at, at, run.mask)) continue;
      if (!holdsRun(window, before, run)) continue;
      sets.put(before);
      least = Math.min(least, before);
    }
    return least;
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
      if (spellings.accepted(state).length === 0) continue;
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
    const { bytes } = window;
    const { spellings } = sign;
    const { begins } = spellings;
    const least = Math.max(window.from, end - MAX_SPELLING);
    let count = 0;
    let start = NONE;
    for (let at = end - 1; count < 2 && at >= least; at--) {
      const byte = bytes[at]!;
      if (at < end - 1 && !spellings.mayHold(byte, bytes[at + 1]!)) break;
      if (begins[byte] === 0 || !mayEndAt(window, before, at)) continue;
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
  return isRun(token) ? token.last === FOLD[byte] : token.spellings.mayEnd(byte);
}

/** Whether a spelling may begin here that ends at the last place where one is wanted, or before. */
function isWithinReach({ bytes, from }: Window, { spellings, end }: Sign, at: number): boolean {
  if (at < from || at < end - MAX_SPELLING) return false;
  return at === end - 1 || spellings.mayHold(bytes[at]!, bytes[at + 1]!);
}

function holdsRun(window: Window, at: number, { bytes: run }: Run): boolean {
  const { bytes } = window;
  window.steps++;
  if (at + run.length > window.to) return false;
  for (let index = 0; index < run.length; index++) {
    if (FOLD[bytes[at + index]!] !== run[index]) return false;
    window.steps++;
  }
  return true;
}
