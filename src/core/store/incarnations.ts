/**
 * The incarnation of each user, agreed between replicas: an id that changes when the user is removed.
 *
 * Prevents the sign-ins of a removed user from becoming valid again when the name is added again. The
 * store has one id for each name; the first replica that needs one sets it, and a removal replaces it. A
 * replica that is late to remove the user finds another id and replaces nothing.
 */
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../time.ts';
import { StoreUnavailable } from './shared-store.ts';
import type { Store } from './store.ts';

const INCARNATIONS = 'incarnations';
const ONLY_USER = 'user';
const UUID_LETTERS = 36;
/** Renewed at every start and reload. */
const KEPT = { ttlMs: 3_650 * DAY_MS, evictable: false } as const;
const MAX_ATTEMPTS = 10;

interface Incarnation {
  readonly id: string;
}

/** The id of this name in the store; where it has none, stores the proposed one. */
export async function claimIncarnation(
  store: Store,
  name: string,
  proposed: string,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const held = await store.get<Incarnation>(INCARNATIONS, name);
    const next = held ?? { id: proposed };
    if (await store.replace(INCARNATIONS, name, held, next, KEPT)) return next.id;
  }
  throw new StoreUnavailable('there is no room for another user');
}

/** The same for a program with one user: a user with another name counts as removed. */
export async function claimOnlyUser(store: Store, name: string): Promise<string> {
  const only = await claimIncarnation(store, ONLY_USER, `${randomUUID()} ${name}`);
  if (only.slice(UUID_LETTERS + 1) === name) return only;
  const id = `${randomUUID()} ${name}`;
  await store.replace(INCARNATIONS, ONLY_USER, { id: only }, { id }, KEPT);
  return id;
}

export async function endIncarnation(store: Store, name: string, id: string): Promise<void> {
  await store.replace(INCARNATIONS, name, { id }, { id: randomUUID() }, KEPT);
}
