/**
 * Keeps a registered client for as long as a live sign-in refers to it.
 *
 * Prevents resource exhaustion by one user (CWE-770): who signs in with one new client after the
 * other keeps no more clients than sign-ins, which are limited. A client whose last sign-in has
 * ended is an evictable one again. Clients that are known by a metadata document need no keeping.
 */
import type { Store } from '../core/store/store.ts';
import { clientMetadataUrl } from './client-metadata.ts';
import { CLIENT_TTL_MS, CLIENTS, type Client, KEPT_CLIENTS } from './records.ts';

interface Reference {
  readonly signInId: string;
  readonly expiresAt: number;
}

export interface KeptClient {
  readonly client: Client;
  /** From where the last sign-in came: the client counts as this source's when it is released. */
  readonly source: string;
  readonly signIns: readonly Reference[];
}

/** False when the store has no room for the client. */
export function keepClient(
  store: Store,
  { client, source, ...added }: Reference & { readonly client: Client; readonly source: string },
  now: number,
): Promise<boolean> {
  return change(store, client.id, now, (signIns) => ({
    client,
    source,
    signIns: [...signIns, added],
  }));
}

/** Keeps the client for as long as a renewed sign-in lives. One that has ended keeps nothing. */
export async function extendClient(
  store: Store,
  clientId: string,
  { signInId, expiresAt }: Reference,
  now: number,
): Promise<void> {
  await change(store, clientId, now, (signIns, kept) => {
    const renewed = (one: Reference) => (one.signInId === signInId ? { signInId, expiresAt } : one);
    return kept && { ...kept, signIns: signIns.map(renewed) };
  });
}

export async function releaseClient(
  store: Store,
  clientId: string,
  signInId: string,
  now: number,
): Promise<void> {
  await change(store, clientId, now, (signIns, kept) => {
    return kept && { ...kept, signIns: signIns.filter((one) => one.signInId !== signInId) };
  });
}

/** Nothing comes of an undefined `next`. References to sign-ins that have expired are dropped. */
async function change(
  store: Store,
  clientId: string,
  now: number,
  next: (signIns: readonly Reference[], kept: KeptClient | undefined) => KeptClient | undefined,
): Promise<boolean> {
  if (clientMetadataUrl(clientId)) return true;
  for (;;) {
    const current = await store.get<KeptClient>(KEPT_CLIENTS, clientId);
    const live = current?.signIns.filter(({ expiresAt }) => expiresAt > now) ?? [];
    const changed = next(live, current);
    if (!changed) return true;
    const ttlMs = Math.max(0, ...changed.signIns.map(({ expiresAt }) => expiresAt)) - now;
    if (ttlMs <= 0) {
      if (!current || (await release(store, current))) return true;
      continue;
    }
    const lifetime = { ttlMs, evictable: false } as const;
    if (await store.replace(KEPT_CLIENTS, clientId, current, changed, lifetime)) return true;
    // Another was first, unless there is no record yet: then the table has no room.
    if (!current && !(await store.get(KEPT_CLIENTS, clientId))) return false;
  }
}

async function release(store: Store, current: KeptClient): Promise<boolean> {
  const { client, source } = current;
  const lifetime = { ttlMs: CLIENT_TTL_MS, evictable: true, source } as const;
  await store.put(CLIENTS, client.id, client, lifetime);
  return store.deleteIf(KEPT_CLIENTS, client.id, current);
}
