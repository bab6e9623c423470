/**
 * Bounds the sign-ins of one user, so that a client which signs in anew each time instead of
 * refreshing neither fills the store for everybody nor pushes out the user's other clients:
 * the sign-in that has gone unused for longest gives way, among those of the same client
 * first.
 */
import { MAX_LIFETIME_MS } from '../core/config/duration.ts';
import type { Store } from '../core/store/store.ts';
import { releaseClient } from './kept-clients.ts';
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
 * Lists a new sign-in of a user and ends the ones that must make room for it. It must be stored
 * already: what is listed and not stored is taken for ended by anyone who signs in meanwhile.
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
    // Somebody else was first, unless there is nothing still: then the table has no room.
    if (!isListed && (current || (await store.get(SIGN_INS_OF_USER, user)))) continue;
    for (const { signInId, clientId } of leaving) {
      await store.delete(SIGN_INS, signInId);
      await releaseClient(store, clientId, signInId, now);
    }
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

/** Everything that has ended already and, if that is not enough, the one unused for longest. */
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
