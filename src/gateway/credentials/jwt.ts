/** Signs JWTs, which serve as tokens or as the assertion of a grant. */
import { randomUUID } from 'node:crypto';
import type { JwtSource } from '../config/minted-secret.ts';
import { signingKey } from '../config/signing-key.ts';
import { CredentialError } from './credential-error.ts';

/** The clock of the server that verifies the JWT may be behind ours. */
const CLOCK_SKEW_MS = 30_000;

/** The JWT, and how long it lives from now. */
export async function signJwt(source: JwtSource, wallNowMs: number) {
  const { SignJWT } = await import('jose');
  const { algorithm, keyId, claims, lifetimeMs } = source;
  const key = signingKey(algorithm, source.key);
  if (!key) throw new CredentialError('unusable_key');
  const issuedAtS = Math.floor((wallNowMs - CLOCK_SKEW_MS) / 1_000);
  const jwt = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId && { kid: keyId }) })
    .setIssuedAt(issuedAtS)
    .setNotBefore(issuedAtS)
    .setExpirationTime(issuedAtS + lifetimeMs / 1_000)
    .setJti(randomUUID())
    .sign(key);
  return { jwt, lifetimeMs: lifetimeMs - CLOCK_SKEW_MS };
}
