/**
 * Turns a text and the ranges to remove into the clean text, as far as it is decided.
 *
 * Matches that overlap are removed as their union, with one marker: removing only one of
 * two would leave the tail of the other visible. Matches that merely touch get one each.
 */
import type { MatchSink } from './scanner.ts';

export class Splice implements MatchSink {
  /** Markers written so far. */
  count = 0;
  readonly #marker: Uint8Array;
  /** The text before this position is written or removed. */
  #done = 0;
  /** Unions that begin after what is written, in order, none overlapping another. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(marker: Uint8Array) {
    this.#marker = marker;
  }

  add(start: number, end: number): void {
    let from = start;
    let to = end;
    // A match in a line with escapes may be told of behind the next ones, which stay.
    let behind = this.#starts.length;
    while (behind > 0 && this.#starts[behind - 1]! >= end) behind--;
    let first = behind;
    while (first > 0 && this.#ends[first - 1]! > from) {
      first--;
      from = Math.min(from, this.#starts[first]!);
      to = Math.max(to, this.#ends[first]!);
    }
    // What goes on a removal whose marker is already written gets no other.
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
    const begun = this.#starts.findIndex((start) => start >= to);
    const unions = begun === -1 ? this.#starts.length : begun;
    const parts: Uint8Array[] = [];
    for (let index = 0; index < unions; index++) {
      parts.push(bytes.subarray(this.#done - base, this.#starts[index]! - base), this.#marker);
      this.#done = this.#ends[index]!;
    }
    this.#starts.splice(0, unions);
    this.#ends.splice(0, unions);
    this.count += unions;
    if (this.#done < to) {
      parts.push(bytes.subarray(this.#done - base, to - base));
      this.#done = to;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}
