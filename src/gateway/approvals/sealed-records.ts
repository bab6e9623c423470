/**
 * Records that nobody who reaches the store, but not the gateway, can read or make up: requests that
 * wait for approval hold whole bodies, and an approval lets a call through.
 */
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '../../core/secrets/seal.ts';
import type { Store } from '../../core/store/store.ts';

interface Sealed {
  readonly sealed: string;
}

export interface Held<T> {
  /** Undefined where it cannot be opened, as after a change of the key. */
  readonly value: T;
  /** As it is in the store, to replace it. */
  readonly current: object;
}

export class SealedRecords<T extends object> {
  readonly #store: Store;
  readonly #key: KeyObject;
  readonly #table: string;

  constructor(store: Store, key: KeyObject, table: string) {
    this.#store = store;
    this.#key = key;
    this.#table = table;
  }

  async get(key: string): Promise<Held<T | undefined> | undefined> {
    const current = await this.#store.get<Sealed>(this.#table, key);
    return current && { value: this.#open(key, current), current };
  }

  /** What is in the store now, or undefined when another was first or there is no room. */
  async replace(
    key: string,
    current: object | undefined,
    next: T,
    ttlMs: number,
  ): Promise<object | undefined> {
    const sealed = { sealed: seal(JSON.stringify(next), this.#key, this.#placeOf(key)) };
    const lifetime = { ttlMs: Math.max(1, ttlMs), evictable: false } as const;
    const isFirst = await this.#store.replace(this.#table, key, current, sealed, lifetime);
    return isFirst ? sealed : undefined;
  }

  delete(key: string): Promise<void> {
    return this.#store.delete(this.#table, key);
  }

  #open(key: string, { sealed }: Sealed): T | undefined {
    try {
      return JSON.parse(unseal(sealed, this.#key, this.#placeOf(key)));
    } catch {
      return undefined;
    }
  }

  #placeOf(key: string): string {
    return `${this.#table} ${key}`;
  }
}
