/**
 * Limits the sign-ins of one user: the least recently used gives way, first among those of the same
 * client. So a client that signs in again each time instead of refreshing neither fills the store nor
 * signs out the user's other clients.
 */
import { MAX_LIFETIME_MS } from '../core/config/duration.ts';
import type { Store } from '../core/store/store.ts';
import { endSignIn } from './kept-clients.ts';
import { SIGN_INS, SIGN_INS_OF_USER, type SignIn } from './records.ts';

export const MAX_PER_USER = 100;
export const MAX_PER_USER_AND_CLIENT = 20;
/** Longer than any code and its token live; one record per user, so it costs nothing to keep. */
const KEPT = { ttlMs: 2 * MAX_LIFETIME_MS, evictable: false } as const;

interface Entry {
  readonly signInId: string;
  readonly clientId: string;
}

export interface SignInsOfUser {
  readonly entries: readonly Entry[];
}

/**
 * Lists a new sign-in of a user and ends those that give way to it. It must be stored before: a listed
 * sign-in that is not stored counts as ended.
 */
export async function makeRoomForSignIn(
  store: Store,
  user: string,
  added: Entry,
  now: number,
): Promise<void> {
  for (;;) {
    const current = await store.get<SignInsOfUser>(SIGN_INS_OF_USER, user);
    const entries = current?.entries ?? [];
    const leaving = await entriesToEnd(store, entries, added.clientId);
    const next = { entries: [...entries.filter((entry) => !leaving.includes(entry)), added] };
    const isListed = await store.replace(SIGN_INS_OF_USER, user, current, next, KEPT);
    // Another request was first, unless there is no record yet: then the table is full.
    if (!isListed && (current || (await store.get(SIGN_INS_OF_USER, user)))) continue;
    for (const entry of leaving) await endSignIn(store, entry, now);
    return;
  }
}

async function entriesToEnd(
  store: Store,
  entries: readonly Entry[],
  clientId: string,
): Promise<readonly Entry[]> {
  const ofClient = entries.filter((entry) => entry.clientId === clientId);
  if (ofClient.length >= MAX_PER_USER_AND_CLIENT) {
    return leastRecentlyUsed(store, ofClient, MAX_PER_USER_AND_CLIENT);
  }
  return entries.length >= MAX_PER_USER ? leastRecentlyUsed(store, entries, MAX_PER_USER) : [];
}

/** All that have ended already and, if those are too few, the least recently used. */
async function leastRecentlyUsed(
  store: Store,
  entries: readonly Entry[],
  limit: number,
): Promise<readonly Entry[]> {
  const dated = await Promise.all(
    entries.map(async (entry) => {
      const signIn = await store.get<SignIn>(SIGN_INS, entry.signInId);
      return { entry, renewedAt: signIn?.renewedAt ?? Number.NEGATIVE_INFINITY };
    }),
  );
  dated.sort((one, other) => one.renewedAt - other.renewedAt);
  const ended = dated.filter(({ renewedAt }) => renewedAt === Number.NEGATIVE_INFINITY).length;
  const leaving = Math.max(ended, entries.length - limit + 1);
  return dated.slice(0, leaving).map(({ entry }) => entry);
}
