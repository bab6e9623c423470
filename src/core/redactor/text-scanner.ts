/** Finds every match in a text that may come in pieces: those that stand whole, and in broken lines. */
import { BrokenLines } from './broken-lines.ts';
import type { MatchSink, Scanner } from './scanner.ts';

type NewScanner = (sink: MatchSink) => Scanner;

export class TextScanner {
  readonly #sink: MatchSink;
  readonly #whole: Scanner;
  readonly #broken: BrokenLines;
  /** Matches in broken lines, and how many of them are told of. */
  #found: { readonly start: number; readonly end: number }[] = [];
  #told = 0;
  /** How many bytes the last call left undecided. */
  #held = 0;

  /** The first scanner looks for every form, the other for those that are all letters. */
  constructor(sink: MatchSink, newScanner: NewScanner, newLetterScanner: NewScanner) {
    this.#sink = sink;
    this.#whole = newScanner({ add: (start, end) => this.#tell(start, end) });
    const found: MatchSink = { add: (start, end) => void this.#found.push({ start, end }) };
    this.#broken = new BrokenLines(found, newLetterScanner);
  }

  /** As `Scanner.read` does. */
  read(bytes: Uint8Array, from: number, to: number, base: number): number {
    const undecided = Math.min(
      this.#broken.read(bytes, from - this.#held, from, to, base),
      this.#whole.read(bytes, from, to, base),
    );
    this.#tellFound(base + to);
    this.#found.length = 0;
    this.#told = 0;
    this.#held = to - undecided;
    return undecided;
  }

  #tell(start: number, end: number): void {
    this.#tellFound(end);
    this.#sink.add(start, end);
  }

  /** The matches of one call are told of in the order of their ends. */
  #tellFound(until: number): void {
    for (; this.#told < this.#found.length; this.#told++) {
      const { start, end } = this.#found[this.#told]!;
      if (end > until) return;
      this.#sink.add(start, end);
    }
  }
}
