/**
 * Finds every match in a text that may come in chunks.
 *
 * The filter skips ordinary text. Where it hits, the automaton reads byte by byte, until it is near its
 * root again. A byte is read twice only where the filter resumed less than `DEEP` bytes behind it, so the
 * work is linear in the text.
 */
import { type Automaton, BYTE, CHILD, DEPTH, FAIL, LOW, MATCH, ROOT } from './automaton.ts';
import { type Filter, viewOf } from './filter.ts';
import { FOLD } from './fold.ts';
import type { SpelledValue } from './spelled-value.ts';

/** In a deeper state the automaton continues: the filter would hit again. */
const DEEP = 8;

/** Gets the matches, some joined with overlapping ones, nearly in the order of their ends. */
export interface MatchSink {
  add(start: number, end: number): void;
  /** The anchor of a value begins at `start`. Not called where no pattern is an anchor. */
  addAnchor?(value: SpelledValue, start: number): void;
}

/** Begins a scan. */
export type NewScanner = (sink: MatchSink) => Scanner;

export class Scanner {
  /** How many bytes the automaton has read, for the tests of the linear bound. */
  steps = 0;
  readonly #filter: Filter;
  readonly #automaton: Automaton;
  readonly #sink: MatchSink;
  #state = ROOT;

  constructor(filter: Filter, automaton: Automaton, sink: MatchSink) {
    this.#filter = filter;
    this.#automaton = automaton;
    this.#sink = sink;
  }

  /**
   * Reads `bytes` from `from` to `to`, where `bytes[0]` is position `base` of the text. The
   * bytes that the last call returned as undecided stand before `from`.
   * Returns the index of the first byte at which a match may still begin.
   */
  read(bytes: Uint8Array, from: number, to: number, base: number): number {
    const filter = this.#filter;
    const view = viewOf(bytes);
    let at = from;
    // Matches that begin up to here must be decided before the filter takes over again.
    let decide = -1;
    for (;;) {
      at = this.#verify(bytes, at, to, base, decide);
      const undecided = at - this.#depth();
      if (at === to) return undecided;
      const hit = filter.next(view, undecided, to);
      if (filter.isHit(hit, to)) {
        at = Math.max(undecided, filter.beginning(view, hit));
        decide = hit;
      } else {
        at = hit - filter.stride + 1;
        decide = to;
      }
      this.#state = ROOT;
    }
  }

  #depth(): number {
    return this.#automaton.cells[this.#state + DEPTH]!;
  }

  #verify(bytes: Uint8Array, from: number, to: number, base: number, decide: number): number {
    const automaton = this.#automaton;
    let { cells } = automaton;
    let state = this.#state;
    let at = from;
    let depth = cells[state + DEPTH]!;
    // Matches that go on from each other are reported as one.
    let unionStart = 0;
    let unionEnd = 0;
    while (at < to && (depth >= DEEP || at - depth <= decide)) {
      const byte = FOLD[bytes[at]!]!;
      const child = cells[state + CHILD]!;
      // Where there is one way on, no call is needed to take it.
      if (child > 0 && cells[child + BYTE] === byte) {
        state = child;
        depth++;
      } else {
        state = automaton.step(state, byte);
        cells = automaton.cells;
        depth = cells[state + DEPTH]!;
      }
      at++;
      const match = cells[state + MATCH]!;
      if (match === 0) {
        if (depth < DEEP) continue;
        state = follow(cells, state, bytes, at, to);
        at += cells[state + DEPTH]! - depth;
        depth = cells[state + DEPTH]!;
      } else {
        const start = base + at - (match >> 1);
        if (start !== base + at) {
          if (start < unionStart || start >= unionEnd) {
            if (unionEnd !== 0) this.#sink.add(unionStart, unionEnd);
            unionStart = start;
          }
          unionEnd = base + at;
        }
        if (match & 1) this.#tellOfAnchors(state, base + at);
        // A pattern that cannot go on holds nothing back.
        while (cells[state + CHILD] === 0) state = cells[state + FAIL]!;
        depth = cells[state + DEPTH]!;
      }
    }
    if (unionEnd !== 0) this.#sink.add(unionStart, unionEnd);
    this.steps += at - from;
    this.#state = state;
    return at;
  }

  #tellOfAnchors(from: number, end: number): void {
    const automaton = this.#automaton;
    const { cells } = automaton;
    let state = automaton.anchorAt(from);
    while (state !== ROOT) {
      for (const value of automaton.anchors.get(cells[state + LOW]!)!.values) {
        this.#sink.addAnchor!(value, end - cells[state + DEPTH]!);
      }
      state = automaton.anchorAt(cells[state + FAIL]!);
    }
  }
}

/**
 * The state reached by first children only, up to a match. Deep in a pattern there is seldom another
 * child, and this small loop is twice as fast.
 */
function follow(
  cells: Int32Array,
  from: number,
  bytes: Uint8Array,
  start: number,
  to: number,
): number {
  let state = from;
  for (let at = start; at < to; at++) {
    const child = cells[state + CHILD]!;
    if (child <= 0 || cells[child + BYTE] !== FOLD[bytes[at]!]) break;
    if (cells[child + MATCH] !== 0) break;
    state = child;
  }
  return state;
}
