/**
 * The grace period of refresh token rotation: processes of one client that refresh with the same
 * token stay signed in together.
 *
 * For a minute after the rotation, the predecessor of a refresh token is exchanged for that token.
 * Nobody who reads the store can sign in with what is there (CWE-522): the token is encrypted with
 * AES-256-GCM under a key that HKDF (RFC 5869) derives from the text of its predecessor, which is not
 * stored. The key of the record is the hash of the current token, so that it can be stored before the
 * rotation, and racing rotations do not overwrite each other's.
 */
import { hkdfSync } from 'node:crypto';
import { isSameText } from '../core/secrets/same-text.ts';
import { seal, unseal } from '../core/secrets/seal.ts';
import type { Store } from '../core/store/store.ts';
import { REFRESH_GRACE } from './records.ts';
import type { PresentedToken } from './token-text.ts';

const REFRESH_GRACE_MS = 60_000;
const KEY_BYTES = 32;

interface Grace {
  /** The hash of the token that was spent. */
  readonly predecessor: string;
  readonly sealed: string;
}

interface SpentToken extends PresentedToken {
  readonly text: string;
}

interface CurrentToken {
  readonly text: string;
  readonly hash: string;
}

/** Holds `current` for anyone who presents `spent` again; `source` for the room of the table. */
export async function beginGrace(
  store: Store,
  spent: SpentToken,
  current: CurrentToken,
): Promise<void> {
  const grace: Grace = {
    predecessor: spent.hash,
    sealed: seal(current.text, keyOf(spent), current.hash),
  };
  await store.put(REFRESH_GRACE, current.hash, grace, {
    ttlMs: REFRESH_GRACE_MS,
    evictable: true,
    source: spent.signInId,
  });
}

export async function endGrace(store: Store, currentHash: string): Promise<void> {
  await store.delete(REFRESH_GRACE, currentHash);
}

/** The text of the current token, while the presented one is its predecessor of the last minute. */
export async function currentOfPredecessor(
  store: Store,
  presented: SpentToken,
  currentHash: string,
): Promise<string | undefined> {
  const grace = await store.get<Grace>(REFRESH_GRACE, currentHash);
  if (!grace || !isSameText(grace.predecessor, presented.hash)) return undefined;
  return unseal(grace.sealed, keyOf(presented), currentHash);
}

function keyOf({ text, signInId }: SpentToken): Buffer {
  const key = hkdfSync('sha256', text, signInId, 'gatehouse refresh grace', KEY_BYTES);
  return Buffer.from(key);
}
