/**
 * The letters of broken lines, joined and scanned as one text, with their positions.
 *
 * Prevents algorithmic complexity attacks by lines of one letter each (CWE-407): a run is dropped once, and
 * the run of a match is found by binary search.
 */
import type { MatchSink, NewScanner, Scanner } from './scanner.ts';

/** Letters that are gathered before a scan. */
const ROOM = 16 * 1024;
const MIN_ROOM = 256;

/** A run of letters: the number of its first letter among all gathered, and where that is. */
interface Run {
  readonly first: number;
  readonly position: number;
  /** Where the letter ends, if it is one that is escaped. */
  readonly end?: number;
}

export class GatheredLetters {
  /** How many runs were looked at, for the tests of the linear bound. */
  looks = 0;
  readonly #sink: MatchSink;
  readonly #newScanner: NewScanner;
  #scanner: Scanner | undefined;
  /** Undecided letters stand from `#from` to `#to`; the last of them are not scanned yet. */
  #letters = new Uint8Array();
  #from = 0;
  #scanned = 0;
  #to = 0;
  /** The number of the letter at `#letters[0]`. */
  #base = 0;
  /** In order; those before `#run` are decided. */
  #runs: Run[] = [];
  #run = 0;

  constructor(sink: MatchSink, newScanner: NewScanner) {
    this.#sink = sink;
    this.#newScanner = newScanner;
  }

  /** Adds the letters from `from` to `to`, where `bytes[0]` is position `base` of the text. */
  add(bytes: Uint8Array, from: number, to: number, base: number): void {
    for (let at = from; at < to; ) {
      if (this.#to === this.#letters.length) this.#makeRoom(to - at);
      const end = Math.min(to, at + this.#letters.length - this.#to);
      this.#letters.set(bytes.subarray(at, end), this.#to);
      this.#runs.push({ first: this.#base + this.#to, position: base + at });
      this.#to += end - at;
      at = end;
    }
  }

  /** Adds a letter that is escaped, from `position` to `end` of the text. */
  addEscaped(letter: number, position: number, end: number): void {
    if (this.#to === this.#letters.length) this.#makeRoom(1);
    this.#letters[this.#to] = letter;
    this.#runs.push({ first: this.#base + this.#to, position, end });
    this.#to++;
  }

  /** Scans; returns the position of the first letter at which a match may still begin, if any. */
  decide(): number | undefined {
    this.#scan();
    return this.#from === this.#to
      ? undefined
      : positionIn(this.#runs[this.#run]!, this.#base + this.#from);
  }

  /** Scans the rest; the next letters begin another text. */
  finish(): void {
    this.#scan();
    this.#scanner = undefined;
    this.#from = 0;
    this.#scanned = 0;
    this.#to = 0;
    this.#runs = [];
    this.#run = 0;
  }

  /** Reports matches, and drops the letters that are decided. */
  #scan(): void {
    if (this.#scanned === this.#to) return;
    this.#scanner ??= this.#newScanner({ add: (start, end) => this.#found(start, end) });
    this.#from = this.#scanner.read(this.#letters, this.#scanned, this.#to, this.#base);
    this.#scanned = this.#to;
    while (this.#startOfRun(this.#run + 1) <= this.#base + this.#from) this.#run++;
  }

  /** Moves the letters to the front only when the buffer is full. */
  #makeRoom(wanted: number): void {
    if (this.#to - this.#scanned >= ROOM) this.#scan();
    const least = this.#to - this.#from + Math.min(wanted, ROOM);
    const roomy =
      2 * least > this.#letters.length
        ? new Uint8Array(Math.max(2 * least, MIN_ROOM))
        : this.#letters;
    roomy.set(this.#letters.subarray(this.#from, this.#to));
    this.#letters = roomy;
    this.#base += this.#from;
    this.#scanned -= this.#from;
    this.#to -= this.#from;
    this.#from = 0;
    this.#runs.splice(0, this.#run);
    this.#run = 0;
  }

  /** Reports matches across breaks; the others are found elsewhere. */
  #found(start: number, end: number): void {
    const from = positionIn(this.#runOf(start), start);
    const last = this.#runOf(end - 1);
    const to = last.end ?? positionIn(last, end - 1) + 1;
    if (to - from > end - start) this.#sink.add(from, to);
  }

  #runOf(letter: number): Run {
    let inside = this.#run;
    let outside = this.#runs.length;
    while (outside - inside > 1) {
      const middle = (inside + outside) >>> 1;
      if (this.#startOfRun(middle) <= letter) inside = middle;
      else outside = middle;
    }
    return this.#runs[inside]!;
  }

  #startOfRun(run: number): number {
    this.looks++;
    return this.#runs[run]?.first ?? Number.POSITIVE_INFINITY;
  }
}

function positionIn({ first, position }: Run, letter: number): number {
  return position + letter - first;
}
