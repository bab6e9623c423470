/**
 * The store of short-lived state that replicas may share: registered clients, sign-ins with their tokens,
 * rate buckets. Here in memory, so that a restart loses it (docs/gateway.md); in `src/core/redis` in a
 * Valkey or Redis server. Every table has a capacity and evicts as `RecordTable` does.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type Bucket,
  fullBucket,
  isFull,
  type Rate,
  rebased,
  returnTo,
  type Take,
  takeFrom,
} from '../limits/rate.ts';
import { steadyNow } from '../limits/steady-clock.ts';
import { type Lifetime, RecordTable } from './record-table.ts';

export type { Lifetime } from './record-table.ts';

export interface Store {
  get<T extends object>(table: string, key: string): Promise<T | undefined>;
  /** The same, from a cache that is at most a second old. */
  getRecent<T extends object>(table: string, key: string): Promise<T | undefined>;
  /** False when the table is full of records that may not be evicted; nothing is stored then. */
  put(table: string, key: string, value: object, lifetime: Lifetime): Promise<boolean>;
  /**
   * Compare and swap: replaces a record only while it equals `current`, or while there is none for
   * undefined. Then false may also mean that the table is full.
   */
  replace(
    table: string,
    key: string,
    current: object | undefined,
    next: object,
    lifetime: Lifetime,
  ): Promise<boolean>;
  delete(table: string, key: string): Promise<void>;
  /** Deletes a record only while it still equals `current`. */
  deleteIf(table: string, key: string, current: object): Promise<boolean>;
  /** The kind of a bucket is the part before the first colon; each kind has a separate capacity. */
  takeToken(bucket: string, rate: Rate): Promise<Take>;
  returnToken(bucket: string, rate: Rate): Promise<void>;
}

interface Filling {
  readonly bucket: Bucket;
  readonly rate: Rate;
}

export const DEFAULT_CAPACITY = 10_000;
const SWEEP_EVERY = 1_000;
/** Expired records are freed also while nothing is written. */
const SWEEP_AFTER_MS = 60_000;

export class MemoryStore implements Store {
  readonly #tables = new Map<string, RecordTable>();
  readonly #buckets = new Map<string, Map<string, Filling>>();
  readonly #capacity: number;
  readonly #now: () => number;
  /** Not the wall clock: setting it forward would refill every bucket, and lift the limits on guessing. */
  readonly #bucketNow: () => number;
  #writesSinceSweep = 0;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(options: { capacity?: number; now?: () => number } = {}) {
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#now = options.now ?? steadyNow;
    this.#bucketNow = options.now ?? (() => performance.now());
  }

  async get<T extends object>(table: string, key: string): Promise<T | undefined> {
    return this.#live(table, key) as T | undefined;
  }

  getRecent<T extends object>(table: string, key: string): Promise<T | undefined> {
    return this.get(table, key);
  }

  async put(table: string, key: string, value: object, lifetime: Lifetime): Promise<boolean> {
    const isStored = this.#table(table).put(key, value, lifetime);
    this.#sweepSometimes();
    return isStored;
  }

  async replace(
    table: string,
    key: string,
    current: object | undefined,
    next: object,
    lifetime: Lifetime,
  ): Promise<boolean> {
    const isCurrent = isDeepStrictEqual(this.#live(table, key), current);
    return isCurrent && this.put(table, key, next, lifetime);
  }

  async delete(table: string, key: string): Promise<void> {
    this.#tables.get(table)?.delete(key);
  }

  async deleteIf(table: string, key: string, current: object): Promise<boolean> {
    if (!isDeepStrictEqual(this.#live(table, key), current)) return false;
    this.#tables.get(table)?.delete(key);
    return true;
  }

  async takeToken(name: string, rate: Rate): Promise<Take> {
    const take = takeFrom(this.#bucket(name, rate), rate, this.#bucketNow());
    this.#sweepSometimes();
    return take;
  }

  async returnToken(name: string, rate: Rate): Promise<void> {
    returnTo(this.#bucket(name, rate), rate, this.#bucketNow());
  }

  /** How many live records and buckets are held, for metrics and tests. */
  size(): number {
    this.#sweep();
    let size = 0;
    for (const held of [...this.#buckets.values(), ...this.#tables.values()]) size += held.size;
    return size;
  }

  #live(table: string, key: string): object | undefined {
    return this.#tables.get(table)?.get(key);
  }

  #table(name: string): RecordTable {
    let records = this.#tables.get(name);
    if (!records) {
      records = new RecordTable(this.#capacity, this.#now);
      this.#tables.set(name, records);
    }
    return records;
  }

  /** A used bucket moves to the end, so that the first is the least recently used. */
  #bucket(name: string, rate: Rate): Bucket {
    const kind = name.slice(0, name.indexOf(':') + 1);
    const buckets = this.#buckets.get(kind) ?? new Map<string, Filling>();
    this.#buckets.set(kind, buckets);
    const held = buckets.get(name);
    buckets.delete(name);
    if (buckets.size >= this.#capacity) this.#forgetFullestBucket(buckets);
    const now = this.#bucketNow();
    const bucket = held ? rebased(held.bucket, held.rate, rate, now) : fullBucket(rate, now);
    buckets.set(name, { bucket, rate });
    return bucket;
  }

  /** A dropped bucket is full again; the least recently used has refilled most anyway. */
  #forgetFullestBucket(buckets: Map<string, Filling>): void {
    this.#sweepBuckets(buckets);
    if (buckets.size < this.#capacity) return;
    const oldest = buckets.keys().next();
    if (!oldest.done) buckets.delete(oldest.value);
  }

  #sweepSometimes(): void {
    this.#writesSinceSweep += 1;
    if (this.#writesSinceSweep >= SWEEP_EVERY) this.#sweep();
    this.#armSweep();
  }

  #armSweep(): void {
    this.#sweepTimer ??= setTimeout(() => {
      this.#sweepTimer = undefined;
      if (this.size() > 0) this.#armSweep();
    }, SWEEP_AFTER_MS).unref();
  }

  #sweep(): void {
    this.#writesSinceSweep = 0;
    for (const records of this.#tables.values()) records.deleteExpired();
    for (const buckets of this.#buckets.values()) this.#sweepBuckets(buckets);
  }

  #sweepBuckets(buckets: Map<string, Filling>): void {
    const now = this.#bucketNow();
    for (const [name, { bucket, rate }] of buckets) {
      if (isFull(bucket, rate, now)) buckets.delete(name);
    }
  }
}
