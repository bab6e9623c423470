/**
 * Finds every match in a text that may come in chunks: patterns, patterns in broken lines, and values
 * whose signs are spelled in any way.
 *
 * A value is verified once, when all bytes that a spelling may take have arrived. So the result does not
 * depend on the chunks, and small ones cost no more than large ones.
 *
 * Every header and log field is scanned, so a scan without a match creates only a few objects. With a list
 * and closures, V8 sometimes kept scans until its next major collection, which then paused several times
 * as long.
 */
import { BrokenLines } from './broken-lines.ts';
import type { Matcher } from './matcher.ts';
import type { MatchSink, Scanner } from './scanner.ts';
import { NONE, type Window } from './sign-reader.ts';
import type { SpelledValue } from './spelled-value.ts';

/** What every scan begins with. */
const NOTHING = new Uint8Array();

/** How many times bytes were read, of all texts. */
let turns = 0;

interface Range {
  readonly start: number;
  readonly end: number;
}

export class TextScanner implements MatchSink, Window {
  bytes: Uint8Array = NOTHING;
  from = 0;
  to = 0;
  turn = 0;
  steps = 0;
  readonly #sink: MatchSink;
  readonly #matcher: Matcher;
  readonly #long: Scanner | undefined;
  readonly #short: Scanner | undefined;
  readonly #broken: BrokenLines;
  /** The position of `bytes[0]` in the text. */
  #base = 0;
  /** How many bytes the last call left undecided. */
  #held = 0;
  /** Values are found whose pair begins before this position of the text. */
  #searched = 0;
  #isLast = false;
  /** Where anchors begin whose values may go on beyond the bytes at hand. */
  #waiting: Map<SpelledValue, number[]> | undefined;
  #found: Range[] | undefined;

  constructor(sink: MatchSink, matcher: Matcher) {
    this.#sink = sink;
    this.#matcher = matcher;
    this.#long = matcher.long?.scanner(this);
    this.#short = matcher.short?.scanner(this);
    this.#broken = new BrokenLines(this, matcher);
  }

  /** As `Scanner.read`. With the last bytes of the text everything is decided. */
  read(bytes: Uint8Array, from: number, to: number, base: number, isLast: boolean): number {
    const { beginnings, longestSpelling } = this.#matcher;
    const first = from - this.#held;
    this.bytes = bytes;
    this.from = first;
    this.to = to;
    this.turn = turns++;
    this.#base = base;
    this.#isLast = isLast;
    this.#verifyWaiting();
    const spelled = isLast ? to : Math.max(first, to - longestSpelling);
    const undecided = Math.min(
      spelled,
      this.#broken.read(bytes, first, from, to, base, isLast),
      this.#long?.read(bytes, from, to, base) ?? to,
      this.#short?.read(bytes, from, to, base) ?? to,
    );
    if (beginnings) {
      const searched = isLast ? to : Math.max(first, to - beginnings.lengthFrom);
      beginnings.find(this, this.#searched - base, searched, base, this);
      this.#searched = base + searched;
    }
    this.#report();
    if (isLast) return to;
    this.#held = to - undecided;
    return undecided;
  }

  add(start: number, end: number): void {
    this.#found ??= [];
    this.#found.push({ start, end });
  }

  addAnchor(value: SpelledValue, start: number): void {
    if (this.#isAtHand(value, start)) {
      this.#verify(value, start);
    } else {
      this.#waiting ??= new Map();
      const starts = this.#waiting.get(value);
      if (starts === undefined) this.#waiting.set(value, [start]);
      else starts.push(start);
    }
  }

  #isAtHand(value: SpelledValue, start: number): boolean {
    return this.#isLast || start + value.lengthFromAnchor <= this.#base + this.to;
  }

  #verifyWaiting(): void {
    for (const [value, starts] of this.#waiting ?? []) {
      let count = 0;
      while (count < starts.length && this.#isAtHand(value, starts[count]!)) {
        this.#verify(value, starts[count++]!);
      }
      if (count === starts.length) this.#waiting!.delete(value);
      else if (count > 0) starts.splice(0, count);
    }
  }

  #verify(value: SpelledValue, start: number): void {
    const at = start - this.#base;
    const end = value.endAround(this, at);
    if (end === NONE) return;
    const first = value.startAround(this, at);
    if (first !== NONE) this.add(this.#base + first, this.#base + end);
  }

  #report(): void {
    if (this.#found === undefined) return;
    const ranges = this.#found.sort((a, b) => a.start - b.start || a.end - b.end);
    this.#found = undefined;
    for (const { start, end } of ranges) this.#sink.add(start, end);
  }
}
