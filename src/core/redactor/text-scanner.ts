/**
 * Finds every match in a text that may come in pieces: those that stand whole, and in broken lines.
 *
 * Every header and every field of a log line is scanned, so a scan that finds nothing makes three
 * objects and no more. With a list and closures in it, V8 came to keep scans until its next full
 * collection, some of the time, and stopped for that several times as long.
 */
import { BrokenLines } from './broken-lines.ts';
import type { MatchSink, Scanner, Scanners } from './scanner.ts';

export class TextScanner implements MatchSink {
  readonly #sink: MatchSink;
  readonly #whole: Scanner;
  readonly #broken: BrokenLines;
  /** How many bytes the last call left undecided. */
  #held = 0;

  constructor(sink: MatchSink, scanners: Scanners) {
    this.#sink = sink;
    this.#whole = scanners.ofAllForms(this);
    this.#broken = new BrokenLines(scanners);
  }

  /** As `Scanner.read` does. */
  read(bytes: Uint8Array, from: number, to: number, base: number): number {
    const undecided = Math.min(
      this.#broken.read(bytes, from - this.#held, from, to, base),
      this.#whole.read(bytes, from, to, base),
    );
    this.#broken.tell(this.#sink, base + to);
    this.#held = to - undecided;
    return undecided;
  }

  /** Told of a match that stands whole. Those of one call go on in the order of their ends. */
  add(start: number, end: number): void {
    this.#broken.tell(this.#sink, end);
    this.#sink.add(start, end);
  }
}
