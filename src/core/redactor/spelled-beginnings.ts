/**
 * Finds the values without an anchor by two characters, mostly the first: by the two bytes with which
 * their spellings begin.
 */
import type { MatchSink } from './scanner.ts';
import { NONE, type Window } from './sign-reader.ts';
import type { SpelledValue } from './spelled-value.ts';

const UNKNOWN = 0;
const MAY = 1;
const MAY_NOT = 2;

export class SpelledBeginnings {
  /** No spelling takes more bytes from its pair on, and before it. */
  readonly lengthFrom: number;
  readonly lengthBefore: number;
  readonly #byFirst: readonly (readonly SpelledValue[])[];
  /** By two bytes, whether a spelling may begin so; filled in as texts ask for it. */
  readonly #pairs = new Uint8Array(0x10000);

  constructor(values: readonly SpelledValue[]) {
    this.lengthFrom = Math.max(...values.map(({ lengthFromAnchor }) => lengthFromAnchor));
    this.lengthBefore = Math.max(
      ...values.map(({ maxLength, lengthFromAnchor }) => maxLength - lengthFromAnchor),
    );
    this.#byFirst = Array.from({ length: 256 }, (_, byte) =>
      values.filter((value) => value.mayBegin(byte)),
    );
  }

  /** Tells of the values whose pair begins from `from` on, before `before`. */
  find(window: Window, from: number, before: number, base: number, sink: MatchSink): void {
    const { bytes, to } = window;
    const end = Math.min(before, to - 1);
    let first = bytes[from]!;
    for (let start = from; start < end; start++) {
      const second = bytes[start + 1]!;
      if (this.#mayBegin(first, second)) {
        for (const value of this.#byFirst[first]!) {
          const valueEnd = value.endAround(window, start);
          if (valueEnd === NONE) continue;
          const valueStart = value.startAround(window, start);
          if (valueStart !== NONE) sink.add(base + valueStart, base + valueEnd);
        }
      }
      first = second;
    }
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
