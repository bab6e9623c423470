/**
 * What waits for one user, and what that user has granted.
 *
 * Prevents a model from filling the store with requests that nobody decides (CWE-770): 100 of a user,
 * 8 MiB in all.
 */
import type { KeyObject } from 'node:crypto';
import type { Store } from '../../core/store/store.ts';
import { Refusal } from '../request/refusal.ts';
import type { Asker } from './fingerprint.ts';
import type { Entry, Grant, UserApprovals } from './records.ts';
import { SealedRecords } from './sealed-records.ts';

const MAX_ENTRIES = 100;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_GRANTS = 100;
const MAX_ATTEMPTS = 100;
const BUSY_MS = 1_000;
const NOTHING: UserApprovals = { entries: [], grants: [] };

export type Person = Pick<Asker, 'user' | 'incarnation'>;

export class ApprovalsOfUsers {
  readonly #records: SealedRecords<UserApprovals>;
  readonly #now: () => number;

  constructor(store: Store, key: KeyObject, now: () => number) {
    this.#records = new SealedRecords(store, key, 'approvals-of-users');
    this.#now = now;
  }

  /** Without what has expired. */
  async of(person: Person): Promise<UserApprovals> {
    return this.#live((await this.#records.get(keyOf(person)))?.value ?? NOTHING);
  }

  async add(person: Person, entry: Entry): Promise<void> {
    await this.#change(person, ({ entries, grants }) => {
      const bytes = entries.reduce((sum, other) => sum + other.bytes, entry.bytes);
      if (entries.length < MAX_ENTRIES && bytes <= MAX_BYTES) {
        return { entries: [...entries, entry], grants };
      }
      const retryAfterMs = Math.min(...entries.map(({ expiresAt }) => expiresAt)) - this.#now();
      throw new Refusal(
        'rate_limited',
        'too many requests wait for approval already; ask the user to decide them first',
        { retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) },
      );
    });
  }

  /** Changes an entry, or removes it. */
  async update(person: Person, id: string, next: Partial<Entry> | undefined): Promise<void> {
    await this.#change(person, ({ entries, grants }) => ({
      entries: entries.flatMap((entry) => {
        if (entry.id !== id) return entry;
        return next ? { ...entry, ...next } : [];
      }),
      grants,
    }));
  }

  /** Of too many grants the oldest gives way. */
  async grant(person: Person, grant: Grant): Promise<void> {
    await this.#change(person, ({ entries, grants }) => ({
      entries: entries.filter(({ id }) => id !== grant.id),
      grants: [...grants, grant].slice(-MAX_GRANTS),
    }));
  }

  async revoke(person: Person, id: string): Promise<boolean> {
    let isThere = false;
    await this.#change(person, ({ entries, grants }) => {
      isThere = grants.some((grant) => grant.id === id);
      return { entries, grants: grants.filter((grant) => grant.id !== id) };
    });
    return isThere;
  }

  async #change(person: Person, step: (before: UserApprovals) => UserApprovals): Promise<void> {
    const key = keyOf(person);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const held = await this.#records.get(key);
      const next = step(this.#live(held?.value ?? NOTHING));
      const ends = [...next.entries, ...next.grants].map(({ expiresAt }) => expiresAt);
      const ttlMs = Math.max(0, ...ends) - this.#now();
      if (await this.#records.replace(key, held?.current, next, ttlMs)) return;
    }
    const message = 'the requests of this user that wait for approval change too quickly';
    throw new Refusal('rate_limited', `${message}; try again`, { retryAfterMs: BUSY_MS });
  }

  #live({ entries, grants }: UserApprovals): UserApprovals {
    const isLive = ({ expiresAt }: { expiresAt: number }) => expiresAt > this.#now();
    return { entries: entries.filter(isLive), grants: grants.filter(isLive) };
  }
}

function keyOf({ user, incarnation }: Person): string {
  return `${user} ${incarnation}`;
}
