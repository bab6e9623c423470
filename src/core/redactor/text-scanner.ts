/**
 * Finds every match in a text that may come in pieces: patterns, patterns in broken lines, and
 * values whose signs are spelled in any way.
 *
 * Every header and every field of a log line is scanned, so a scan that finds nothing makes three
 * objects and no more. With a list and closures in it, V8 came to keep scans until its next full
 * collection, some of the time, and stopped for that several times as long.
 */
import { BrokenLines } from './broken-lines.ts';
import type { MatchSink, Scanner, Scanners } from './scanner.ts';
import type { SpelledScanner } from './spelled-scanner.ts';
import type { Range } from './spelled-value.ts';

export class TextScanner implements MatchSink {
  readonly #sink: MatchSink;
  readonly #patterns: Scanner;
  readonly #broken: BrokenLines;
  readonly #spelled: SpelledScanner | undefined;
  /** How many bytes the last call left undecided. */
  #held = 0;
  /** Of them, how many the search for spelled values reads again. */
  #heldBySpelled = 0;
  #found: Range[] | undefined;

  constructor(sink: MatchSink, scanners: Scanners) {
    this.#sink = sink;
    this.#patterns = scanners.ofAllForms(this);
    this.#broken = new BrokenLines(this, scanners);
    this.#spelled = scanners.spelled;
  }

  /** As `Scanner.read`. With the last bytes of the text everything is decided. */
  read(bytes: Uint8Array, from: number, to: number, base: number, isLast: boolean): number {
    const first = from - this.#held;
    let undecided = Math.min(
      this.#broken.read(bytes, first, from, to, base, isLast),
      this.#patterns.read(bytes, from, to, base),
    );
    if (this.#spelled !== undefined) {
      const unread = from - this.#heldBySpelled;
      const window = { bytes, from: unread, to, isLast };
      for (const { start, end } of this.#spelled.find(window) ?? [])
        this.add(base + start, base + end);
      const spelled = isLast ? to : this.#spelled.firstUndecided(window);
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

  #report(): void {
    if (this.#found === undefined) return;
    const ranges = this.#found.sort((a, b) => a.start - b.start || a.end - b.end);
    this.#found = undefined;
    for (const { start, end } of ranges) this.#sink.add(start, end);
  }
}
