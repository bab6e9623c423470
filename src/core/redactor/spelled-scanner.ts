/**
 * Finds values whose signs are spelled in any way: the anchors by a filter, the rest by verification.
 *
 * A scan keeps no state, so held-back bytes are scanned again with what follows them.
 */
import { Filter, foldedWord, viewOf } from './filter.ts';
import { type Range, type SpelledValue, UNDECIDED, type Window } from './spelled-value.ts';

/** Anchors this long are searched for in large steps, apart from those that are shorter. */
const LONG_ANCHOR = 7;

export class SpelledScanner {
  readonly #anchored: readonly AnchorSearch[];
  readonly #unanchored: BeginningSearch | undefined;
  readonly #all: BeginningSearch;
  readonly #maxLength: number;

  constructor(values: readonly SpelledValue[]) {
    const isLong = ({ anchor }: SpelledValue): boolean => anchor!.length >= LONG_ANCHOR;
    const anchored = values.filter(({ anchor }) => anchor !== undefined);
    this.#anchored = [anchored.filter(isLong), anchored.filter((value) => !isLong(value))]
      .filter(({ length }) => length > 0)
      .map((group) => new AnchorSearch(group));
    const unanchored = values.filter(({ anchor }) => anchor === undefined);
    if (unanchored.length > 0) this.#unanchored = new BeginningSearch(unanchored);
    this.#all = new BeginningSearch(values);
    this.#maxLength = Math.max(...values.map(({ maxLength }) => maxLength));
  }

  /** The matches that are decided, or undefined. */
  find(window: Window): Range[] | undefined {
    const found: Range[] = [];
    for (const search of this.#anchored) search.find(window, found);
    this.#unanchored?.find(window, found);
    return found.length > 0 ? found : undefined;
  }

  /** The first position at which a spelling may begin that is cut off at the end. */
  firstUndecided(window: Window): number {
    const { from, to } = window;
    return this.#all.firstUndecided(window, Math.max(from, to - this.#maxLength));
  }
}

/** Searches for values by their anchors. */
class AnchorSearch {
  readonly #filter: Filter;
  /** By four bytes of an anchor: the values, and the offset at which their anchor has them. */
  readonly #byWord = new Map<number, { readonly value: SpelledValue; readonly offset: number }[]>();

  constructor(values: readonly SpelledValue[]) {
    this.#filter = new Filter(values.map(({ anchor }) => anchor!));
    for (const value of values) {
      const view = viewOf(value.anchor!);
      for (let offset = 0; offset < this.#filter.stride; offset++) {
        const word = foldedWord(view, offset);
        const known = this.#byWord.get(word);
        if (known) known.push({ value, offset });
        else this.#byWord.set(word, [{ value, offset }]);
      }
    }
  }

  find(window: Window, found: Range[]): void {
    const { bytes, from, to } = window;
    const view = viewOf(bytes);
    let hit = this.#filter.next(view, from, to);
    for (; this.#filter.isHit(hit, to); hit = this.#filter.next(view, hit + 1, to)) {
      for (const { value, offset } of this.#byWord.get(foldedWord(view, hit)) ?? []) {
        const range = value.matchAround(window, hit - offset);
        if (range !== undefined) found.push(range);
      }
    }
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

  find(window: Window, found: Range[]): void {
    const { bytes, from, to } = window;
    let first = bytes[from]!;
    for (let start = from; start + 1 < to; start++) {
      const second = bytes[start + 1]!;
      if (this.#mayBegin(first, second)) {
        for (const value of this.#byFirst[first]!) {
          const end = value.matchFrom(window, start);
          if (end >= 0) found.push({ start, end });
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
        if (value.matchFrom(window, start) === UNDECIDED) return start;
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
