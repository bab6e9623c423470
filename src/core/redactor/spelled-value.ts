/**
 * A value whose signs may each be spelled in any way, prepared for matching.
 *
 * Runs of ASCII letters and digits stay as they are in every spelling. The longest of them is the
 * anchor: it is searched for, and the rest is verified to its left and right.
 */
import { isAlphanumeric } from './escapes.ts';
import { FOLD, foldCase } from './fold.ts';
import { type Spellings, spellingsOf } from './spellings.ts';

/** Bytes that one sign may take: `&amp;#x005c;u&amp;#x007b;0000002b&amp;#x007d;` and the like. */
const MAX_SPELLING = 64;
/** As many bytes of it are read backward: to read all of them so would take ten times the states. */
const MAX_BACKWARD = 3;
/** The shortest run that is searched for. */
const MIN_ANCHOR = 4;
/**
 * How often an anchor may occur in its value. Verification passes over no second anchor where it
 * occurs once, so the work is linear in the text; each further occurrence adds as much again.
 */
const MAX_OCCURRENCES = 2;
/** Equal signs in a row: each may be read in several ways, so a long row is ambiguous throughout. */
const LONG_ROW = /([^A-Za-z0-9])\1{8}/;
/** Read from their end, so many signs in a row that begin escapes are as ambiguous. */
const ROW_OF_ESCAPES = /[\\&%'"`^=]{4}/;

/** A run of letters and digits as folded bytes, or a sign. */
type Token = Uint8Array | Spellings;

/** The bytes at hand. Where they are not the last, what could go on beyond `to` is undecided. */
export interface Window {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
  /** How many bytes verification has read, for the tests of the linear bound. */
  steps: number;
}

/** Where a match ends that more bytes could make, or make longer. */
export const UNDECIDED = -2;
export const NONE = -1;

export class SpelledValue {
  /** The value in plain text, and the run that is searched for, if one is, as folded bytes. */
  readonly raw: string;
  readonly anchor: string | undefined;
  /** No spelling has more bytes. */
  readonly maxLength: number;
  readonly #tokens: readonly Token[];
  readonly #first: Spellings;
  readonly #anchorIndex: number;

  private constructor(text: string, tokens: readonly Token[], anchorIndex: number) {
    this.raw = foldCase(Buffer.from(text).toString('latin1'));
    this.#tokens = tokens;
    this.#first = tokens[0] as Spellings;
    this.#anchorIndex = anchorIndex;
    const anchor = tokens[anchorIndex];
    if (anchor && isRun(anchor)) this.anchor = Buffer.from(anchor).toString('latin1');
    this.maxLength = tokens.reduce(
      (sum, token) => sum + (isRun(token) ? token.length : MAX_SPELLING),
      0,
    );
  }

  /** The value, unless it has no sign, or no spelling of it can be searched for in linear time. */
  static of(text: string): SpelledValue | undefined {
    if (!/[^A-Za-z0-9]/.test(text) || LONG_ROW.test(text)) return undefined;
    const tokens = tokensOf(text);
    const anchorIndex = chooseAnchor(text, tokens);
    if (anchorIndex === undefined && !hasFewBeginnings(text)) return undefined;
    return new SpelledValue(text, tokens, anchorIndex ?? -1);
  }

  /** Whether a spelling may begin with a byte. */
  mayBegin(byte: number): boolean {
    return this.#first.mayBegin(byte);
  }

  /** Whether a spelling may begin with two bytes. */
  mayBeginWith(byte: number, next: number): boolean {
    const state = this.#first.step(this.#first.start, byte);
    if (state === 0) return false;
    if (this.#first.step(state, next) !== 0) return true;
    const second = this.#tokens[1];
    if (this.#first.accepted(state) === 0 || second === undefined) return false;
    return isRun(second) ? second[0] === FOLD[next] : second.mayBegin(next);
  }

  /** Where a spelling ends whose anchor is at `at`: a position, `UNDECIDED` or `NONE`. */
  endAround(window: Window, at: number): number {
    return this.#forward(window, this.#anchorIndex + 1, at + this.anchor!.length);
  }

  /** Where a spelling ends that begins at `at`. */
  endFrom(window: Window, at: number): number {
    return this.#forward(window, 0, at);
  }

  /** The farthest end of a spelling of the tokens from `index` on. */
  #forward(window: Window, index: number, at: number): number {
    const { bytes, to } = window;
    let end = at;
    for (let token = index; token < this.#tokens.length; token++) {
      const expected = this.#tokens[token]!;
      if (end >= to) return window.isLast ? NONE : UNDECIDED;
      window.steps += isRun(expected) ? expected.length : 1;
      if (isRun(expected)) {
        if (end + expected.length > to) return this.#forwardEveryWay(window, token, end);
        if (!isAt(bytes, end, expected)) return NONE;
        end += expected.length;
        continue;
      }
      const state = expected.step(expected.start, bytes[end]!);
      if (state === 0) return NONE;
      if (!expected.isFinal(state)) return this.#forwardEveryWay(window, token, end);
      end++;
    }
    return end;
  }

  /** The same where a sign can be read in several ways. */
  #forwardEveryWay(window: Window, index: number, at: number): number {
    const ends = new Positions(window);
    ends.list.push(at);
    for (let token = index; token < this.#tokens.length && ends.list.length > 0; token++) {
      const expected = this.#tokens[token]!;
      const starts = ends.list;
      ends.list = [];
      for (const start of starts) {
        if (isRun(expected)) ends.addRun(expected, start);
        else ends.addSpellings(expected, start);
      }
    }
    if (ends.isUndecided) return UNDECIDED;
    return ends.list.length === 0 ? NONE : Math.max(...ends.list);
  }

  /** The farthest beginning of a spelling of which the anchor is at `at`, or `NONE`. */
  startAround(window: Window, at: number): number {
    const starts = new Positions(window);
    starts.list.push(at);
    for (let token = this.#anchorIndex - 1; token >= 0 && starts.list.length > 0; token--) {
      const expected = this.#tokens[token]!;
      const ends = starts.list;
      starts.list = [];
      if (isRun(expected)) for (const end of ends) starts.addRunBefore(expected, end);
      else starts.addSpellingsBefore(expected, ends);
    }
    return starts.list.length === 0 ? NONE : Math.min(...starts.list);
  }
}

/** Where the spellings read so far end, each place once. */
class Positions {
  list: number[] = [];
  /** Whether a spelling goes on beyond the bytes at hand. */
  isUndecided = false;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  addRun(run: Uint8Array, start: number): void {
    const { bytes, to, isLast } = this.#window;
    const end = start + run.length;
    this.#window.steps += run.length;
    if (end <= to) {
      if (isAt(bytes, start, run)) this.#add(end);
    } else if (!isLast && isAt(bytes, start, run.subarray(0, to - start))) {
      this.isUndecided = true;
    }
  }

  addSpellings(sign: Spellings, start: number): void {
    const { bytes, to, isLast } = this.#window;
    let state = sign.start;
    for (let at = start; at < to; ) {
      this.#window.steps++;
      state = sign.step(state, bytes[at]!);
      if (state === 0) return;
      at++;
      if (sign.accepted(state) !== 0) {
        this.#add(at);
        if (sign.isFinal(state)) return;
      }
    }
    if (!isLast) this.isUndecided = true;
  }

  addRunBefore(run: Uint8Array, end: number): void {
    const { bytes, from } = this.#window;
    const start = end - run.length;
    this.#window.steps += run.length;
    if (start >= from && isAt(bytes, start, run)) this.#add(start);
  }

  /** Most signs are decided by the few bytes that are read backward; the others share one search. */
  addSpellingsBefore(sign: Spellings, ends: readonly number[]): void {
    const undecided = ends.filter((end) => this.#addShortSpellings(sign, end));
    if (undecided.length === 0) return;
    const { bytes, from } = this.#window;
    const last = Math.max(...undecided);
    const least = Math.max(from, Math.min(...undecided) - MAX_SPELLING);
    for (let start = last - MAX_BACKWARD - 1; start >= least; start--) {
      let state = sign.start;
      for (let at = start; at < last && state !== 0; at++) {
        this.#window.steps++;
        state = sign.step(state, bytes[at]!);
        if (state === 0 || sign.accepted(state) === 0) continue;
        if (at - start < MAX_SPELLING && undecided.includes(at + 1)) this.#add(start);
      }
    }
  }

  /** Adds the spellings of a few bytes. Returns whether there may be longer ones. */
  #addShortSpellings(sign: Spellings, end: number): boolean {
    const { bytes, from } = this.#window;
    const { backward } = sign;
    let state = backward.start;
    for (let start = end - 1; start >= end - MAX_BACKWARD; start--) {
      if (start < from) return false;
      this.#window.steps++;
      state = backward.step(state, bytes[start]!);
      if (state === 0) return false;
      if (backward.accepted(state) !== 0) this.#add(start);
    }
    return true;
  }

  #add(end: number): void {
    if (!this.list.includes(end)) this.list.push(end);
  }
}

const isRun = (token: Token): token is Uint8Array => token instanceof Uint8Array;

function isAt(bytes: Uint8Array, at: number, run: Uint8Array): boolean {
  for (let index = 0; index < run.length; index++) {
    if (FOLD[bytes[at + index]!] !== run[index]) return false;
  }
  return true;
}

/** Some encoders escape the first letter, too: `RegExp.escape`, and CSS where it is a digit. */
function tokensOf(text: string): Token[] {
  const [first, ...rest] = text.match(/^.|[A-Za-z0-9]+|[^A-Za-z0-9]/gsu) ?? [];
  return [
    spellingsOf(first!),
    ...rest.map((part) =>
      isAlphanumeric(part.charCodeAt(0))
        ? Buffer.from(part.toLowerCase(), 'latin1')
        : spellingsOf(part),
    ),
  ];
}

/** The longest run that occurs rarely enough in the value. */
function chooseAnchor(text: string, tokens: readonly Token[]): number | undefined {
  const folded = text.toLowerCase();
  const runs = tokens.map((token) => (isRun(token) ? Buffer.from(token).toString('latin1') : ''));
  const candidates = runs
    .map((run, index) => ({ run, index }))
    .filter(({ run }) => run.length >= MIN_ANCHOR)
    .sort((a, b) => b.run.length - a.run.length);
  return candidates.find(
    ({ run }) =>
      occurrences(folded, run) <= MAX_OCCURRENCES &&
      !ROW_OF_ESCAPES.test(folded.slice(0, folded.lastIndexOf(run))),
  )?.index;
}

/** Whether the first two characters recur seldom, so that few verifications go on for long. */
function hasFewBeginnings(text: string): boolean {
  const folded = text.toLowerCase();
  return occurrences(folded, folded.slice(0, 2)) <= MAX_OCCURRENCES;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}
