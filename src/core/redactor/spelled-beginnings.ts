/** Finds the values without an anchor by the two bytes that their spellings begin with. */
import type { MatchSink } from './scanner.ts';
import type { Window } from './sign-reader.ts';
import type { SpelledValue } from './spelled-value.ts';

const UNKNOWN = 0;
const MAY = 1;
const MAY_NOT = 2;

export class SpelledBeginnings {
  readonly #byFirst: readonly (readonly SpelledValue[])[];
  /** By two bytes, whether a spelling may begin so; filled in as texts ask for it. */
  readonly #pairs = new Uint8Array(0x10000);

  constructor(values: readonly SpelledValue[]) {
    this.#byFirst = Array.from({ length: 256 }, (_, byte) =>
      values.filter((value) => value.mayBegin(byte)),
    );
  }

  /** Tells of the values that begin from `from` on, before `before`. */
  find(window: Window, from: number, before: number, base: number, sink: MatchSink): void {
    const { bytes, to } = window;
    const end = Math.min(before, to - 1);
    let first = bytes[from]!;
    for (let start = from; start < end; start++) {
      const second = bytes[start + 1]!;
      if (this.#mayBegin(first, second)) {
        for (const value of this.#byFirst[first]!) {
          const valueEnd = value.endFrom(window, start);
          if (valueEnd >= 0) sink.add(base + start, base + valueEnd);
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
