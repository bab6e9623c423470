/**
 * Finds where values begin whose signs are spelled in any way: those that have no anchor, and at the
 * end of a chunk those that are cut off.
 */
import type { MatchSink } from './scanner.ts';
import { type SpelledValue, UNDECIDED, type Window } from './spelled-value.ts';

export class SpelledBeginnings {
  readonly #values: readonly SpelledValue[];
  readonly #unanchored: BeginningSearch | undefined;
  readonly #maxLength: number;
  /** Made when it is needed: most texts come whole. */
  #all: BeginningSearch | undefined;

  constructor(values: readonly SpelledValue[]) {
    this.#values = values;
    const unanchored = values.filter(({ anchor }) => anchor === undefined);
    if (unanchored.length > 0) this.#unanchored = new BeginningSearch(unanchored);
    this.#maxLength = Math.max(...values.map(({ maxLength }) => maxLength));
  }

  /** Tells of the values without an anchor; `bytes[0]` is position `base` of the text. */
  find(window: Window, base: number, sink: MatchSink): void {
    this.#unanchored?.find(window, base, sink);
  }

  /** The first position at which a spelling may begin that is cut off at the end. */
  firstUndecided(window: Window): number {
    const { from, to } = window;
    this.#all ??= new BeginningSearch(this.#values);
    return this.#all.firstUndecided(window, Math.max(from, to - this.#maxLength));
  }
}

const UNKNOWN = 0;
const MAY = 1;
const MAY_NOT = 2;

/** Searches for values by the two bytes that their spellings begin with. */
class BeginningSearch {
  readonly #byFirst: readonly (readonly SpelledValue[])[];
  /** By two bytes, whether a spelling may begin so; filled in as texts ask for it. */
  readonly #pairs = new Uint8Array(0x10000);

  constructor(values: readonly SpelledValue[]) {
    this.#byFirst = Array.from({ length: 256 }, (_, byte) =>
      values.filter((value) => value.mayBegin(byte)),
    );
  }

  find(window: Window, base: number, sink: MatchSink): void {
    const { bytes, from, to } = window;
    let first = bytes[from]!;
    for (let start = from; start + 1 < to; start++) {
      const second = bytes[start + 1]!;
      if (this.#mayBegin(first, second)) {
        for (const value of this.#byFirst[first]!) {
          const end = value.endFrom(window, start);
          if (end >= 0) sink.add(base + start, base + end);
        }
      }
      first = second;
    }
  }

  firstUndecided(window: Window, from: number): number {
    const { bytes, to } = window;
    for (let start = from; start < to; start++) {
      const first = bytes[start]!;
      if (start + 1 < to && !this.#mayBegin(first, bytes[start + 1]!)) continue;
      for (const value of this.#byFirst[first]!) {
        if (value.endFrom(window, start) === UNDECIDED) return start;
      }
    }
    return to;
  }

  #mayBegin(first: number, second: number): boolean {
    const pair = first * 256 + second;
    if (this.#pairs[pair] === UNKNOWN) {
      const may = this.#byFirst[first]!.some((value) => value.mayBeginWith(first, second));
      this.#pairs[pair] = may ? MAY : MAY_NOT;
    }
    return this.#pairs[pair] === MAY;
  }
}
