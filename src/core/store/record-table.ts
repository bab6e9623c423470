/**
 * One table of the in-memory store: records with a time to live, up to a capacity.
 *
 * Prevents eviction by flooding (CWE-770): a full table evicts the oldest record of the source that has
 * most evictable records, so that a flood from one source evicts only its own.
 */
export type Lifetime =
  | { readonly ttlMs: number; readonly evictable: false }
  | {
      readonly ttlMs: number;
      /** May be evicted as the oldest of its source, when the table or the source is full. */
      readonly evictable: true;
      /** Who caused the record to be stored. */
      readonly source: string;
      /** How many records of one table a source may have; unlimited by default. */
      readonly maxOfSource?: number;
    };

interface Entry {
  readonly value: object;
  readonly expiresAt: number;
  /** Undefined for a record that is never evicted. */
  readonly source: string | undefined;
}

export class RecordTable {
  readonly #entries = new Map<string, Entry>();
  /** The keys of the evictable records of each source, oldest first. */
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #capacity: number;
  readonly #now: () => number;

  constructor(capacity: number, now: () => number) {
    this.#capacity = capacity;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): object | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > this.#now() ? entry.value : undefined;
  }

  put(key: string, value: object, lifetime: Lifetime): boolean {
    this.delete(key);
    const source = lifetime.evictable ? lifetime.source : undefined;
    if (lifetime.evictable) this.#boundSource(lifetime);
    if (this.#entries.size >= this.#capacity && !this.#makeRoom(source)) return false;
    this.#entries.set(key, { value, expiresAt: this.#now() + lifetime.ttlMs, source });
    if (source !== undefined) this.#keysFrom(source).add(key);
    return true;
  }

  delete(key: string): void {
    const source = this.#entries.get(key)?.source;
    this.#entries.delete(key);
    if (source === undefined) return;
    const keys = this.#keysFrom(source);
    keys.delete(key);
    if (keys.size === 0) this.#keysOf.delete(source);
  }

  deleteExpired(): void {
    const now = this.#now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.delete(key);
  }

  #keysFrom(source: string): Set<string> {
    let keys = this.#keysOf.get(source);
    if (!keys) {
      keys = new Set();
      this.#keysOf.set(source, keys);
    }
    return keys;
  }

  #boundSource({ source, maxOfSource = this.#capacity }: Lifetime & { evictable: true }): void {
    const keys = this.#keysOf.get(source);
    if (keys && keys.size >= maxOfSource) this.#deleteOldest(keys);
  }

  /** Of sources with equally many records, that of the new record is evicted from. */
  #makeRoom(newcomer: string | undefined): boolean {
    let most = newcomer === undefined ? undefined : this.#keysOf.get(newcomer);
    for (const keys of this.#keysOf.values()) {
      if (keys.size > (most?.size ?? 0)) most = keys;
    }
    if (most) this.#deleteOldest(most);
    else this.deleteExpired();
    return this.#entries.size < this.#capacity;
  }

  #deleteOldest(keys: ReadonlySet<string>): void {
    const oldest = keys.values().next();
    if (!oldest.done) this.delete(oldest.value);
  }
}
