/**
 * Records that nobody can read or make up who reaches the store but not the gateway: requests that
 * wait for approval hold whole bodies, and an approval lets a call through. AES-256-GCM; the place of
 * a record is authenticated with it, so that none serves in the place of another.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { Store } from '../../core/store/store.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Sealed {
  readonly sealed: string;
}

export interface Held<T> {
  /** Undefined where it cannot be opened, as after a change of the key. */
  readonly value: T;
  /** As it stands in the store, to replace it. */
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

  /** What now stands in the store, or undefined when another was first or there is no room. */
  async replace(
    key: string,
    current: object | undefined,
    next: T,
    ttlMs: number,
  ): Promise<object | undefined> {
    const sealed = this.#seal(key, next);
    const lifetime = { ttlMs: Math.max(1, ttlMs), evictable: false } as const;
    const isFirst = await this.#store.replace(this.#table, key, current, sealed, lifetime);
    return isFirst ? sealed : undefined;
  }

  delete(key: string): Promise<void> {
    return this.#store.delete(this.#table, key);
  }

  #seal(key: string, value: T): Sealed {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(`${this.#table} ${key}`));
    const text = cipher.update(JSON.stringify(value));
    const end = cipher.final();
    return { sealed: Buffer.concat([nonce, text, end, cipher.getAuthTag()]).toString('base64') };
  }

  #open(key: string, { sealed }: Sealed): T | undefined {
    try {
      const bytes = Buffer.from(sealed, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce);
      decipher.setAAD(Buffer.from(`${this.#table} ${key}`));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return JSON.parse(Buffer.concat([text, decipher.final()]).toString()) as T;
    } catch {
      return undefined;
    }
  }
}
