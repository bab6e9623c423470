/** The letters of broken lines, joined and scanned as one text, and where each of them stood. */
import type { MatchSink, Scanner } from './scanner.ts';

/** So many are gathered before they are scanned. */
const ROOM = 16 * 1024;

/** A run of letters: where it begins among the gathered ones, and where in the text. */
interface Run {
  readonly index: number;
  readonly position: number;
}

export class GatheredLetters {
  readonly #sink: MatchSink;
  readonly #newScanner: (sink: MatchSink) => Scanner;
  #scanner: Scanner | undefined;
  /** Undecided letters; the last of them are not scanned yet. */
  #letters = new Uint8Array();
  #count = 0;
  #scanned = 0;
  #runs: Run[] = [];

  constructor(sink: MatchSink, newScanner: (sink: MatchSink) => Scanner) {
    this.#sink = sink;
    this.#newScanner = newScanner;
  }

  /** Adds the letters from `from` to `to`, where `bytes[0]` is position `base` of the text. */
  add(bytes: Uint8Array, from: number, to: number, base: number): void {
    for (let at = from; at < to; ) {
      if (this.#count === this.#letters.length) this.#makeRoom(to - at);
      const end = Math.min(to, at + this.#letters.length - this.#count);
      this.#letters.set(bytes.subarray(at, end), this.#count);
      this.#runs.push({ index: this.#count, position: base + at });
      this.#count += end - at;
      at = end;
    }
  }

  /** Scans; returns the position of the first letter at which a match may still begin, if any. */
  decide(): number | undefined {
    this.#scan();
    return this.#count === 0 ? undefined : this.#positionOf(0);
  }

  /** Scans what is left; the next letters have nothing to do with these. */
  finish(): void {
    this.#scan();
    this.#scanner = undefined;
    this.#count = 0;
    this.#scanned = 0;
    this.#runs = [];
  }

  /** Tells of what is found, and lets go of the letters that are decided. */
  #scan(): void {
    if (this.#scanned === this.#count) return;
    this.#scanner ??= this.#newScanner({ add: (start, end) => this.#found(start, end) });
    const decided = this.#scanner.read(this.#letters, this.#scanned, this.#count, 0);
    const first = this.#runOf(decided);
    this.#runs = this.#runs
      .slice(first)
      .map(({ index, position }) => ({ index: index - decided, position }));
    this.#letters.copyWithin(0, decided, this.#count);
    this.#count -= decided;
    this.#scanned = this.#count;
  }

  #makeRoom(wanted: number): void {
    if (this.#count >= ROOM) this.#scan();
    const least = this.#count + Math.min(wanted, ROOM);
    if (least <= this.#letters.length) return;
    const letters = new Uint8Array(Math.max(256, 2 * least));
    letters.set(this.#letters);
    this.#letters = letters;
  }

  /** What no break cuts is found without us. */
  #found(start: number, end: number): void {
    const from = this.#positionOf(start);
    const to = this.#positionOf(end - 1) + 1;
    if (to - from > end - start) this.#sink.add(from, to);
  }

  #positionOf(letter: number): number {
    const { index, position } = this.#runs[this.#runOf(letter)]!;
    return position + letter - index;
  }

  #runOf(letter: number): number {
    return Math.max(
      0,
      this.#runs.findLastIndex(({ index }) => index <= letter),
    );
  }
}
