/**
 * The time of the last use of a sign-in or a key, to the minute, over all replicas. A use costs a look-up
 * in a map, and at most one write per minute, for which nobody waits.
 */
import { DAY_MS } from '../time.ts';
import type { Store } from './store.ts';

const NOTED_EVERY_MS = 60_000;
const KEPT_MS = 30 * DAY_MS;
const MAX_OF_USER = 200;
const MAX_REMEMBERED = 10_000;

interface Use {
  readonly at: number;
}

export class LastUses {
  readonly #store: Store;
  readonly #table: string;
  readonly #now: () => number;
  readonly #noted = new Map<string, number>();

  constructor(store: Store, table: string, now: () => number) {
    this.#store = store;
    this.#table = table;
    this.#now = now;
  }

  note(key: string, user: string): void {
    const at = this.#now();
    if (at - (this.#noted.get(key) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY_MS) return;
    if (this.#noted.size >= MAX_REMEMBERED) this.#noted.clear();
    this.#noted.set(key, at);
    const bound = { source: user, maxOfSource: MAX_OF_USER };
    const lifetime = { ttlMs: KEPT_MS, evictable: true, ...bound } as const;
    this.#store.put(this.#table, key, { at }, lifetime).catch(() => {});
  }

  async of(key: string): Promise<number | undefined> {
    return (await this.#store.get<Use>(this.#table, key))?.at;
  }
}
