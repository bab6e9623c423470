/**
 * The console sessions of people, in the store that replicas share.
 *
 * Prevents session fixation (CWE-384): each sign-in gets a new random id. The store has only its
 * SHA-256, so whoever reads the store can present none. A session ends at sign-out, after two hours
 * without use, twelve hours after its sign-in, and when its user is removed or the password is changed.
 * When a user has too many, the oldest gives way.
 */
import { createHmac, hash, type KeyObject, randomBytes } from 'node:crypto';
import type { Store } from '../core/store/store.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Users } from '../core/users.ts';

const IDLE_MS = 2 * HOUR_MS;
const LIFETIME_MS = 12 * HOUR_MS;
/** How often a use is written to the store. */
const USE_NOTED_EVERY_MS = 60_000;
const MAX_OF_USER = 20;
const ID_BYTES = 32;
const ID_FORM = /^[A-Za-z0-9_-]{43}$/;

export interface Session {
  readonly user: string;
  readonly incarnation: string;
  /** What every form of this session posts back as `csrf`. */
  readonly csrf: string;
}

interface SessionRecord {
  readonly user: string;
  readonly incarnation: string;
  /** Of the password that was typed. */
  readonly mark: string;
  readonly beganAt: number;
  readonly usedAt: number;
}

interface SessionsOptions {
  readonly store: Store;
  readonly users: Users;
  /** Not in the store. */
  readonly key: KeyObject;
  readonly now: () => number;
  /** The table of the store; sessions of one never serve as those of another. */
  readonly table: string;
  readonly idleMs?: number;
  readonly lifetimeMs?: number;
}

export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The id of a new session, or undefined when the store has no room. */
  async begin(user: string, incarnation: string): Promise<string | undefined> {
    const { store, users, key, now, table } = this.#options;
    const mark = users.passwordMark(user, key);
    if (mark === undefined) return undefined;
    const id = randomBytes(ID_BYTES).toString('base64url');
    const record = { user, incarnation, mark, beganAt: now(), usedAt: now() };
    return (await store.put(table, hashOf(id), record, this.#lifetime(record))) ? id : undefined;
  }

  /** The session with this id while it lasts. Only a use by the person makes it last longer. */
  async find(id: string, isUse = true): Promise<Session | undefined> {
    if (!ID_FORM.test(id)) return undefined;
    const { store, users, key, now, table } = this.#options;
    const record = await store.get<SessionRecord>(table, hashOf(id));
    if (!record) return undefined;
    const { user, incarnation } = record;
    // Refused and not deleted: another replica may have a newer configuration.
    if (users.incarnation(user) !== incarnation) return undefined;
    if (users.passwordMark(user, key) !== record.mark) return undefined;
    if (isUse && now() - record.usedAt >= USE_NOTED_EVERY_MS) {
      const next = { ...record, usedAt: now() };
      // Fails where another use was written, or the session was ended.
      await store.replace(table, hashOf(id), record, next, this.#lifetime(next));
    }
    return { user, incarnation, csrf: this.#csrfOf(id) };
  }

  async end(id: string): Promise<void> {
    if (ID_FORM.test(id)) await this.#options.store.delete(this.#options.table, hashOf(id));
  }

  #lifetime({ user, beganAt, usedAt }: SessionRecord) {
    const { now, idleMs = IDLE_MS, lifetimeMs = LIFETIME_MS } = this.#options;
    const endsAt = Math.min(usedAt + idleMs, beganAt + lifetimeMs);
    const ttlMs = Math.max(1, endsAt - now());
    return { ttlMs, evictable: true, source: user, maxOfSource: MAX_OF_USER } as const;
  }

  #csrfOf(id: string): string {
    const { key, table } = this.#options;
    return createHmac('sha256', key).update(`csrf ${table} ${id}`).digest('base64url');
  }
}

function hashOf(id: string): string {
  return hash('sha256', id, 'base64url');
}
