/**
 * Keys for what clients send back, such as form tokens: one for each purpose, derived from the key that
 * replicas share (HKDF, RFC 5869), or random for this process.
 */
import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

const KEY_BYTES = 32;
const SALT = 'gatehouse seal';
/** Of the key that replicas share, in characters. */
export const MIN_SEAL_KEY_LENGTH = 32;

export function keyFor(purpose: string, shared: Secret | undefined): KeyObject {
  if (!shared) return createSecretKey(randomBytes(KEY_BYTES));
  const key = hkdfSync('sha256', shared.reveal(), SALT, purpose, KEY_BYTES);
  return createSecretKey(new Uint8Array(key));
}
