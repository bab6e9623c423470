/**
 * An Aho-Corasick automaton with lazily created states. Fifty secrets have some 330,000 states, of which
 * ordinary text reaches a few thousand.
 *
 * Prevents algorithmic complexity attacks (CWE-407): a byte costs a bounded number of moves on average,
 * whatever the text and the patterns are. The state also says how much of the text before it may still
 * become a match.
 */
import type { SpelledValue } from './spelled-value.ts';

/** The initial state. States are offsets into `cells`. */
export const ROOT = 0;

// A state is eight cells: one cache line holds two of them.
const WIDTH = 8;
/** How many bytes before here are the beginning of a pattern. */
export const DEPTH = 0;
/** Twice the length of the longest form that ends here, and 1 more where an anchor does; or 0. */
export const MATCH = 1;
/** The state for the longest proper suffix that begins a pattern. */
export const FAIL = 2;
/** First of the states one byte on; 0 if there can be none. */
export const CHILD = 3;
const UNKNOWN = -1;
/** The next child of the same parent, or 0. */
const SIBLING = 4;
/** The byte that leads here. */
export const BYTE = 5;
/** The sorted patterns that begin with what this state has seen: from LOW, below HIGH. */
export const LOW = 6;
const HIGH = 7;

/** A pattern that is the anchor of values whose signs are spelled in any way. */
export interface Anchor {
  readonly values: readonly SpelledValue[];
  /** Whether the pattern is also a form. */
  readonly isForm: boolean;
}

export class Automaton {
  /** All states. Replaced when it grows, so it must not be kept over a call of `step`. */
  cells = new Int32Array(512 * WIDTH);
  /** Moves along fail links, for the tests of the linear bound. */
  moves = 0;
  /** By index of the pattern. */
  readonly anchors: ReadonlyMap<number, Anchor>;
  /** By state divided by `WIDTH`: the longest of it and its suffixes that is an anchor, or 0. */
  #anchorStates = new Int32Array(512);
  readonly #patterns: readonly Uint8Array[];
  readonly #fromRoot = new Int32Array(256);
  #used = 0;

  /** The patterns are sorted, distinct and not empty. */
  constructor(patterns: readonly Uint8Array[], anchors: ReadonlyMap<number, Anchor> = new Map()) {
    this.#patterns = patterns;
    this.anchors = anchors;
    this.#newState(0, 0, 0, patterns.length, ROOT);
    this.#expand(ROOT);
    for (let child = this.cells[CHILD]!; child !== 0; child = this.cells[child + SIBLING]!) {
      this.#fromRoot[this.cells[child + BYTE]!] = child;
    }
  }

  get stateCount(): number {
    return this.#used / WIDTH;
  }

  /** The longest of a state and its suffixes that is an anchor, or `ROOT`. */
  anchorAt(state: number): number {
    return this.#anchorStates[state / WIDTH]!;
  }

  /** The state after one more byte, which is already folded. */
  step(from: number, byte: number): number {
    let state = from;
    while (state !== ROOT) {
      let child = this.cells[state + CHILD]!;
      if (child === UNKNOWN) child = this.#expand(state);
      while (child !== 0) {
        if (this.cells[child + BYTE] === byte) return child;
        child = this.cells[child + SIBLING]!;
      }
      state = this.cells[state + FAIL]!;
      this.moves++;
    }
    return this.#fromRoot[byte]!;
  }

  /** Makes the states one byte on from a state and returns the first, or 0. */
  #expand(state: number): number {
    const depth = this.cells[state + DEPTH]!;
    const high = this.cells[state + HIGH]!;
    const fail = this.cells[state + FAIL]!;
    let low = this.cells[state + LOW]!;
    // A pattern that ends here sorts before those that go on.
    if (this.#patterns[low]!.length === depth) low++;
    let first = 0;
    while (low < high) {
      const byte = this.#patterns[low]![depth]!;
      const end = this.#endOfRun(low, high, depth, byte);
      const child = this.#newState(
        depth + 1,
        byte,
        low,
        end,
        state === ROOT ? ROOT : this.step(fail, byte),
      );
      this.cells[child + SIBLING] = first;
      first = child;
      low = end;
    }
    this.cells[state + CHILD] = first;
    return first;
  }

  /** The first of the patterns from `low` that does not have this byte at this depth. */
  #endOfRun(low: number, high: number, depth: number, byte: number): number {
    let inside = low;
    let outside = high;
    while (outside - inside > 1) {
      const middle = (inside + outside) >>> 1;
      if (this.#patterns[middle]![depth] === byte) inside = middle;
      else outside = middle;
    }
    return outside;
  }

  #newState(depth: number, byte: number, low: number, high: number, fail: number): number {
    const state = this.#used;
    this.#used += WIDTH;
    if (this.#used > this.cells.length) {
      const grown = new Int32Array(this.cells.length * 2);
      grown.set(this.cells);
      this.cells = grown;
      const states = new Int32Array(this.#anchorStates.length * 2);
      states.set(this.#anchorStates);
      this.#anchorStates = states;
    }
    const { cells } = this;
    const ends = this.#patterns[low]!.length === depth;
    const anchor = ends ? this.anchors.get(low) : undefined;
    const anchorState = anchor ? state : this.#anchorStates[fail / WIDTH]!;
    this.#anchorStates[state / WIDTH] = anchorState;
    const isForm = ends && (anchor?.isForm ?? true);
    const length = isForm ? depth : cells[fail + MATCH]! >> 1;
    cells[state + DEPTH] = depth;
    cells[state + MATCH] = 2 * length + (anchorState === ROOT ? 0 : 1);
    cells[state + FAIL] = fail;
    cells[state + CHILD] = ends && high - low === 1 ? 0 : UNKNOWN;
    cells[state + BYTE] = byte;
    cells[state + LOW] = low;
    cells[state + HIGH] = high;
    return state;
  }
}
