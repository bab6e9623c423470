/**
 * Finds every match in a text that may come in pieces: patterns, patterns in broken lines, and
 * values whose signs are spelled in any way.
 *
 * Every header and every field of a log line is scanned, so a scan that finds nothing makes a few
 * objects and no more. With a list and closures in it, V8 came to keep scans until its next full
 * collection, some of the time, and stopped for that several times as long.
 */
import { BrokenLines } from './broken-lines.ts';
import type { Matcher } from './matcher.ts';
import type { MatchSink, Scanner } from './scanner.ts';
import type { SpelledBeginnings } from './spelled-beginnings.ts';
import { NONE, type SpelledValue, UNDECIDED, type Window } from './spelled-value.ts';

/** What every scan begins with. */
const NOTHING = new Uint8Array();

interface Range {
  readonly start: number;
  readonly end: number;
}

export class TextScanner implements MatchSink, Window {
  bytes: Uint8Array = NOTHING;
  from = 0;
  to = 0;
  isLast = false;
  steps = 0;
  readonly #sink: MatchSink;
  readonly #long: Scanner | undefined;
  readonly #short: Scanner | undefined;
  readonly #broken: BrokenLines;
  readonly #spelled: SpelledBeginnings | undefined;
  /** The position of `bytes[0]` in the text. */
  #base = 0;
  /** How many bytes the last call left undecided. */
  #held = 0;
  /** Of them, how many may begin a value whose signs are spelled in any way. */
  #heldBySpelled = 0;
  /** Anchors of values that go on beyond the bytes at hand. */
  #cutOff: { readonly value: SpelledValue; readonly start: number }[] | undefined;
  #found: Range[] | undefined;

  constructor(sink: MatchSink, matcher: Matcher) {
    this.#sink = sink;
    this.#long = matcher.long?.scanner(this);
    this.#short = matcher.short?.scanner(this);
    this.#broken = new BrokenLines(this, matcher);
    this.#spelled = matcher.spelled;
  }

  /** As `Scanner.read`. With the last bytes of the text everything is decided. */
  read(bytes: Uint8Array, from: number, to: number, base: number, isLast: boolean): number {
    const first = from - this.#held;
    this.bytes = bytes;
    this.from = from - this.#heldBySpelled;
    this.to = to;
    this.isLast = isLast;
    this.#base = base;
    this.#retry();
    let undecided = Math.min(
      this.#broken.read(bytes, first, from, to, base, isLast),
      this.#long?.read(bytes, from, to, base) ?? to,
      this.#short?.read(bytes, from, to, base) ?? to,
    );
    if (this.#spelled !== undefined) {
      this.#spelled.find(this, base, this);
      const spelled = isLast ? to : this.#spelled.firstUndecided(this);
      this.#heldBySpelled = to - spelled;
      undecided = Math.min(undecided, spelled);
    }
    if (isLast) undecided = to;
    this.#report();
    this.#held = to - undecided;
    return undecided;
  }

  add(start: number, end: number): void {
    this.#found ??= [];
    this.#found.push({ start, end });
  }

  addAnchor(value: SpelledValue, start: number): void {
    const at = start - this.#base;
    const end = value.endAround(this, at);
    if (end === NONE) return;
    const first = value.startAround(this, at);
    if (first === NONE) return;
    if (end === UNDECIDED) {
      this.#cutOff ??= [];
      this.#cutOff.push({ value, start });
    } else {
      this.add(this.#base + first, this.#base + end);
    }
  }

  #retry(): void {
    const cutOff = this.#cutOff;
    this.#cutOff = undefined;
    for (const { value, start } of cutOff ?? []) this.addAnchor(value, start);
  }

  #report(): void {
    if (this.#found === undefined) return;
    const ranges = this.#found.sort((a, b) => a.start - b.start || a.end - b.end);
    this.#found = undefined;
    for (const { start, end } of ranges) this.#sink.add(start, end);
  }
}
