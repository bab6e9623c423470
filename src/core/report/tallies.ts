/** Counts names that strangers choose, in bounded memory. */
interface Tally {
  readonly name: string;
  hits: number;
  firstMs: number;
  lastMs: number;
  /** Associated names, such as the agents of a network or the tags of an agent. */
  readonly with: Set<string>;
}

const MAX_COMPANIONS = 8;
const MAX_NAMES = 100_000;
/** Counts all names beyond the limit. */
const OTHERS = '(others)';

export class Tallies {
  readonly #byName = new Map<string, Tally>();
  readonly #maxNames: number;

  constructor(maxNames = MAX_NAMES) {
    this.#maxNames = maxNames;
  }

  get size(): number {
    return this.#byName.size;
  }

  add(given: string, timeMs: number, companion: string): void {
    const name = this.#byName.has(given) || this.size < this.#maxNames ? given : OTHERS;
    let tally = this.#byName.get(name);
    if (tally === undefined) {
      tally = { name, hits: 0, firstMs: timeMs, lastMs: timeMs, with: new Set() };
      this.#byName.set(name, tally);
    }
    tally.hits++;
    tally.firstMs = Math.min(tally.firstMs, timeMs);
    tally.lastMs = Math.max(tally.lastMs, timeMs);
    if (tally.with.size < MAX_COMPANIONS) tally.with.add(companion);
  }

  /** The most frequent first. */
  top(count: number): Tally[] {
    return [...this.#byName.values()]
      .sort((a, b) => b.hits - a.hits || (a.name < b.name ? -1 : 1))
      .slice(0, count);
  }
}
