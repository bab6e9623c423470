/**
 * Replaces the matches in a text by markers. Overlapping matches are replaced as their union by one marker,
 * so that no part of one stays; adjacent matches get one each.
 */
import type { MatchSink } from './scanner.ts';

/** A shared empty list: most texts have no match. */
const NONE: number[] = [];
const NOTHING = new Uint8Array();

export class Splice implements MatchSink {
  /** Markers written so far. */
  count = 0;
  readonly #marker: Uint8Array;
  /** The text before this position is written or removed. */
  #done = 0;
  /** Unions that begin after what is written, in order, none overlapping another. */
  #starts = NONE;
  #ends = NONE;

  constructor(marker: Uint8Array) {
    this.#marker = marker;
  }

  /** Whether there was no match yet. */
  get isEmpty(): boolean {
    return this.#starts === NONE;
  }

  add(start: number, end: number): void {
    if (this.isEmpty) {
      this.#starts = [];
      this.#ends = [];
    }
    let from = start;
    let to = end;
    // A match in a line with escapes may be reported after later ones.
    let behind = this.#starts.length;
    while (behind > 0 && this.#starts[behind - 1]! >= end) behind--;
    let first = behind;
    while (first > 0 && this.#ends[first - 1]! > from) {
      first--;
      from = Math.min(from, this.#starts[first]!);
      to = Math.max(to, this.#ends[first]!);
    }
    // A match that continues one whose marker is already written gets no other.
    const isNew = from >= this.#done;
    if (!isNew) this.#done = Math.max(to, this.#done);
    this.#starts.splice(first, behind - first, ...(isNew ? [from] : []));
    this.#ends.splice(first, behind - first, ...(isNew ? [to] : []));
  }

  /**
   * The clean text from where the last call ended up to `to`, before which no further match
   * begins. `bytes[0]` is position `base` of the text. May be a view of `bytes`.
   */
  take(bytes: Uint8Array, base: number, to: number): Uint8Array {
    let unions = 0;
    while (unions < this.#starts.length && this.#starts[unions]! < to) unions++;
    if (unions === 0) return this.#rest(bytes, base, to);
    const parts: Uint8Array[] = [];
    for (let index = 0; index < unions; index++) {
      parts.push(bytes.subarray(this.#done - base, this.#starts[index]! - base), this.#marker);
      this.#done = this.#ends[index]!;
    }
    this.#starts.splice(0, unions);
    this.#ends.splice(0, unions);
    this.count += unions;
    parts.push(this.#rest(bytes, base, to));
    return Buffer.concat(parts);
  }

  #rest(bytes: Uint8Array, base: number, to: number): Uint8Array {
    if (this.#done >= to) return NOTHING;
    const rest = bytes.subarray(this.#done - base, to - base);
    this.#done = to;
    return rest;
  }
}
