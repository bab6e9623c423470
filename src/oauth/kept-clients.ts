/**
 * Keeps a registered client for as long as a live sign-in refers to it.
 *
 * Prevents resource exhaustion by a user who signs in with ever new clients (CWE-770): sign-ins are
 * limited, and a client whose last sign-in has ended is evictable again. Clients that have a metadata
 * document are not kept.
 */
import type { Store } from '../core/store/store.ts';
import { clientMetadataUrl } from './client-metadata.ts';
import { CLIENT_TTL_MS, CLIENTS, type Client, KEPT_CLIENTS, SIGN_INS } from './records.ts';

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

/** Keeps the client for as long as a renewed sign-in lives, unless the sign-in has ended. */
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

/** Ends a sign-in: its tokens are not valid anywhere from now on, and its client is not kept for it. */
export async function endSignIn(
  store: Store,
  { signInId, clientId }: { readonly signInId: string; readonly clientId: string },
  now: number,
): Promise<void> {
  await store.delete(SIGN_INS, signInId);
  await change(store, clientId, now, (signIns, kept) => {
    return kept && { ...kept, signIns: signIns.filter((one) => one.signInId !== signInId) };
  });
}

/** Changes nothing where `next` returns undefined. Drops references to sign-ins that have expired. */
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
    // Another request was first, unless there is no record yet: then the table is full.
    if (!current && !(await store.get(KEPT_CLIENTS, clientId))) return false;
  }
}

async function release(store: Store, current: KeptClient): Promise<boolean> {
  const { client, source } = current;
  const lifetime = { ttlMs: CLIENT_TTL_MS, evictable: true, source } as const;
  await store.put(CLIENTS, client.id, client, lifetime);
  return store.deleteIf(KEPT_CLIENTS, client.id, current);
}
