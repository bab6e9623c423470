/**
 * The key of a JWT, from PEM or, for HS256, from text. One of the few places that reveal a secret:
 * what comes out of here can sign, and nothing prints it.
 */
import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Secret } from '../../core/secrets/secret.ts';
import type { JwtSource } from './minted-secret.ts';

/** Undefined for what is no key. */
export function signingKey(algorithm: JwtSource['algorithm'], key: Secret): KeyObject | undefined {
  const text = key.reveal();
  if (algorithm === 'HS256') return createSecretKey(Buffer.from(text));
  try {
    return createPrivateKey(text.startsWith('{') ? pemOfServiceAccount(text) : text);
  } catch {
    return undefined;
  }
}

/** Google gives its keys as a JSON file; the rest of it is not read. */
function pemOfServiceAccount(json: string): string {
  return String(JSON.parse(json).private_key);
}
