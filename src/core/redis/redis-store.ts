/**
 * The store that replicas share, in a Valkey or Redis server.
 *
 * Prevents a stolen token from outliving its sign-in on another replica: records of `getRecent` are at
 * most a second old, and deletions are published. While the server is unreachable, every operation fails
 * with `StoreUnavailable`, except for rate limits, which use buckets of this process.
 */
import type { Rate, Take } from '../limits/rate.ts';
import { describeError, type Log } from '../log/log.ts';
import { type SharedStore, StoreUnavailable } from '../store/shared-store.ts';
import { DEFAULT_CAPACITY, type Lifetime, MemoryStore } from '../store/store.ts';
import { type Connection, disconnect } from './client.ts';
import { DELETE, GET, PUT, RETURN_TOKEN, TAKE_TOKEN } from './scripts.ts';

const RECENT_MS = 1_000;
const MAX_RECENT = 4_096;
/** The keys of one table; see `scripts.ts`. */
const PARTS = ['records', 'ends', 'sources', 'order', 'counts'];
const SCRIPTS = {
  gatehouseGet: { lua: GET, numberOfKeys: PARTS.length },
  gatehousePut: { lua: PUT, numberOfKeys: PARTS.length },
  gatehouseDelete: { lua: DELETE, numberOfKeys: PARTS.length },
  gatehouseTake: { lua: TAKE_TOKEN, numberOfKeys: 2 },
  gatehouseReturn: { lua: RETURN_TOKEN, numberOfKeys: 2 },
};
type Script = keyof typeof SCRIPTS;
type Scripted = Connection & Record<Script, (...args: (string | number)[]) => Promise<unknown>>;

export interface RedisStoreOptions {
  /** Both are open. `subscriber` only receives published messages. */
  readonly connection: Connection;
  readonly subscriber: Connection;
  readonly prefix: string;
  readonly log: Log;
  readonly capacity?: number;
  /** Replaces the clock of the server in tests. */
  readonly now?: () => number;
}

export class RedisStore implements SharedStore {
  readonly #options: RedisStoreOptions;
  readonly #connection: Scripted;
  readonly #capacity: number;
  readonly #fallback: MemoryStore;
  /** Oldest first. */
  readonly #recent = new Map<
    string,
    { readonly found: Promise<unknown>; readonly until: number }
  >();
  readonly #listeners = new Map<string, ((message: readonly string[]) => void)[]>();
  readonly #onReconnected: (() => void)[] = [];
  #isDown = false;

  constructor(options: RedisStoreOptions) {
    const { connection, subscriber, now, capacity = DEFAULT_CAPACITY } = options;
    this.#options = options;
    this.#capacity = capacity;
    this.#fallback = new MemoryStore({ capacity, ...(now && { now }) });
    this.#connection = connection as Scripted;
    for (const [name, script] of Object.entries(SCRIPTS)) connection.defineCommand(name, script);
    connection.on('close', () => this.#onDown('the connection was closed'));
    connection.on('ready', () => this.#onUp());
    subscriber.on('message', (_channel: string, text: string) => this.#onMessage(text));
    subscriber.on('ready', () => void this.listen().catch(() => subscriber.disconnect(true)));
  }

  /** Clears the cache: deletions that were published in the meantime are lost. */
  async listen(): Promise<void> {
    await this.#options.subscriber.subscribe(this.#channel);
    this.#recent.clear();
  }

  async get<T extends object>(table: string, key: string): Promise<T | undefined> {
    const text = await this.#run('gatehouseGet', ...this.#record(table, key));
    return typeof text === 'string' ? (JSON.parse(text) as T) : undefined;
  }

  getRecent<T extends object>(table: string, key: string): Promise<T | undefined> {
    const name = nameOf(table, key);
    const known = this.#recent.get(name);
    if (known && known.until > performance.now()) return known.found as Promise<T | undefined>;
    this.#recent.delete(name);
    if (this.#recent.size >= MAX_RECENT) this.#recent.delete(this.#recent.keys().next().value!);
    const found = this.get<T>(table, key);
    const entry = { found, until: performance.now() + RECENT_MS };
    this.#recent.set(name, entry);
    const forget = () => this.#recent.get(name) === entry && this.#recent.delete(name);
    found.then((record) => record ?? forget(), forget);
    return found;
  }

  put(table: string, key: string, value: object, lifetime: Lifetime): Promise<boolean> {
    return this.#put(table, key, value, lifetime, 'any', '');
  }

  replace(
    table: string,
    key: string,
    current: object | undefined,
    next: object,
    lifetime: Lifetime,
  ): Promise<boolean> {
    const expected = current ? 'equal' : 'none';
    return this.#put(table, key, next, lifetime, expected, current ? JSON.stringify(current) : '');
  }

  async delete(table: string, key: string): Promise<void> {
    await this.#delete(table, key);
  }

  deleteIf(table: string, key: string, current: object): Promise<boolean> {
    return this.#delete(table, key, JSON.stringify(current));
  }

  async takeToken(bucket: string, rate: Rate): Promise<Take> {
    try {
      const wait = await this.#run('gatehouseTake', ...this.#bucket(bucket, rate));
      return wait === '' ? { ok: true } : { ok: false, retryAfterMs: Number(wait) };
    } catch {
      return this.#fallback.takeToken(bucket, rate);
    }
  }

  async returnToken(bucket: string, rate: Rate): Promise<void> {
    try {
      await this.#run('gatehouseReturn', ...this.#bucket(bucket, rate));
    } catch {
      await this.#fallback.returnToken(bucket, rate);
    }
  }

  publish(topic: string, message: readonly string[]): void {
    const text = JSON.stringify([topic, ...message]);
    // Delivery is not guaranteed; the store has the truth.
    this.#connection.publish(this.#channel, text).catch(() => {});
  }

  onPublished(topic: string, listener: (message: readonly string[]) => void): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
  }

  onDeleted(table: string, listener: (key: string) => void): void {
    this.onPublished(DELETED, ([where, key]) => where === table && listener(key!));
  }

  onReconnected(listener: () => void): void {
    this.#onReconnected.push(listener);
  }

  async isReachable(): Promise<boolean> {
    return this.#connection.ping().then(
      () => true,
      () => false,
    );
  }

  get #channel(): string {
    return `${this.#options.prefix}events`;
  }

  async close(): Promise<void> {
    const { connection, subscriber } = this.#options;
    for (const one of [connection, subscriber]) {
      one.removeAllListeners('close');
      disconnect(one);
    }
  }

  async #put(
    table: string,
    key: string,
    value: object,
    lifetime: Lifetime,
    expected: 'any' | 'none' | 'equal',
    current: string,
  ): Promise<boolean> {
    const ttlMs = Math.ceil(lifetime.ttlMs);
    const eviction = lifetime.evictable
      ? (['1', lifetime.source, lifetime.maxOfSource ?? this.#capacity] as const)
      : (['0', '', 0] as const);
    this.#recent.delete(nameOf(table, key));
    const stored = await this.#run(
      'gatehousePut',
      ...this.#record(table, key),
      ...[JSON.stringify(value), ttlMs, this.#capacity],
      ...[...eviction, expected, current],
    );
    this.#recent.delete(nameOf(table, key));
    return stored === 1;
  }

  async #delete(table: string, key: string, ...current: readonly string[]): Promise<boolean> {
    const message = JSON.stringify([DELETED, table, key]);
    const isDeleted = await this.#run(
      'gatehouseDelete',
      ...[...this.#record(table, key), this.#channel, message, ...current],
    );
    this.#recent.delete(nameOf(table, key));
    return isDeleted === 1;
  }

  /** The braces are a hash tag: a Cluster keeps the parts of a table on one node. */
  #record(table: string, key: string): (string | number)[] {
    const keys = PARTS.map((part) => `{${this.#options.prefix}${table}}:${part}`);
    return [...keys, this.#now(), key];
  }

  #bucket(name: string, { periodMs, count }: Rate): (string | number)[] {
    const kind = name.slice(0, name.indexOf(':'));
    const key = `{${this.#options.prefix}buckets:${kind}}`;
    return [`${key}:full-at`, `${key}:rates`, this.#now(), name, periodMs, count, this.#capacity];
  }

  #now(): string {
    return this.#options.now ? String(this.#options.now()) : '';
  }

  async #run(script: Script, ...args: (string | number)[]): Promise<unknown> {
    try {
      const answer = await this.#connection[script](...args);
      if (this.#isDown) this.#onUp();
      return answer;
    } catch (error) {
      this.#onDown(describeError(error));
      throw new StoreUnavailable(error);
    }
  }

  /** Once for each outage. */
  #onDown(cause: string): void {
    if (this.#isDown) return;
    this.#isDown = true;
    const message =
      'the store is unreachable: signing in and calls of new sign-ins answer 503, and each replica counts its rate limits alone';
    this.#options.log.error('store_unavailable', { message, cause });
  }

  #onUp(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#options.log.info('store_available');
    for (const listener of this.#onReconnected) listener();
  }

  #onMessage(text: string): void {
    const [topic, ...message] = JSON.parse(text) as [string, ...string[]];
    if (topic === DELETED) this.#recent.delete(nameOf(message[0]!, message[1]!));
    for (const listener of this.#listeners.get(topic) ?? []) listener(message);
  }
}

const DELETED = 'deleted';

function nameOf(table: string, key: string): string {
  return `${table} ${key}`;
}
