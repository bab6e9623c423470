/**
 * Percentiles of any number of durations in bounded memory. Milliseconds are counted exactly up
 * to 1,024 and in steps of less than one percent beyond.
 */
const EXACT = 1_024;
const STEPS_PER_DOUBLING = 128;
/** About a day; whatever took longer counts as that. */
const MAX_MS = 2 ** 26;

export class Durations {
  readonly #counts = new Map<number, number>();
  #total = 0;

  add(ms: number): void {
    const at = bucketOf(Math.min(Math.max(ms, 0), MAX_MS));
    this.#counts.set(at, (this.#counts.get(at) ?? 0) + 1);
    this.#total++;
  }

  get total(): number {
    return this.#total;
  }

  /** The duration that this share of all did not exceed; undefined where there are none. */
  percentile(share: number): number | undefined {
    let left = Math.max(1, Math.ceil(this.#total * share));
    for (const [bucket, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return upperEnd(bucket);
    }
    return undefined;
  }

  /** How many lie above each bound and not above the next; the last has those above all. */
  distribution(bounds: readonly number[]): number[] {
    const counts = new Array<number>(bounds.length + 1).fill(0);
    for (const [bucket, count] of this.#counts) {
      const at = bounds.findIndex((bound) => upperEnd(bucket) <= bound);
      counts[at === -1 ? bounds.length : at]! += count;
    }
    return counts;
  }
}

function bucketOf(ms: number): number {
  const whole = Math.round(ms);
  if (whole <= EXACT) return whole;
  return EXACT + Math.ceil(Math.log2(whole / EXACT) * STEPS_PER_DOUBLING);
}

function upperEnd(bucket: number): number {
  if (bucket <= EXACT) return bucket;
  return Math.round(EXACT * 2 ** ((bucket - EXACT) / STEPS_PER_DOUBLING));
}
