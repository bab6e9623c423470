/** Counts per hour, or per several hours, so that logs of any age fit into bounded memory. */
import { HOUR_MS } from '../time.ts';

const MAX_KEPT = 4_096;

interface Spans {
  readonly firstMs: number;
  readonly hoursPerSpan: number;
  /** In order, including empty ones; one count for each series. */
  readonly counts: readonly (readonly number[])[];
}

export class Hours {
  readonly #series: number;
  #counts = new Map<number, number[]>();
  #hoursEach = 1;

  constructor(series = 1) {
    this.#series = series;
  }

  add(timeMs: number, series = 0): void {
    const at = Math.floor(timeMs / HOUR_MS / this.#hoursEach);
    const count = this.#counts.get(at);
    if (count) count[series]! += 1;
    else {
      const counts = new Array<number>(this.#series).fill(0);
      counts[series] = 1;
      this.#counts.set(at, counts);
      if (this.#counts.size > MAX_KEPT) this.#coarsen();
    }
  }

  /** At most `most` spans of equal length; undefined where nothing was counted. */
  spans(most: number): Spans | undefined {
    if (this.#counts.size === 0) return undefined;
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const at of this.#counts.keys()) [first, last] = [Math.min(first, at), Math.max(last, at)];
    const step = Math.ceil((last - first + 1) / most);
    const length = Math.ceil((last - first + 1) / step);
    const counts = Array.from({ length }, () => new Array<number>(this.#series).fill(0));
    for (const [at, each] of this.#counts) {
      const span = counts[Math.floor((at - first) / step)]!;
      for (const [series, count] of each.entries()) span[series]! += count;
    }
    const hoursPerSpan = step * this.#hoursEach;
    return { firstMs: first * this.#hoursEach * HOUR_MS, hoursPerSpan, counts };
  }

  #coarsen(): void {
    const coarser = new Map<number, number[]>();
    for (const [at, counts] of this.#counts) {
      const known = coarser.get(Math.floor(at / 2));
      if (!known) coarser.set(Math.floor(at / 2), counts);
      else for (const [series, count] of counts.entries()) known[series]! += count;
    }
    this.#counts = coarser;
    this.#hoursEach *= 2;
    if (coarser.size > MAX_KEPT) this.#coarsen();
  }
}
