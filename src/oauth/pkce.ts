/**
 * Proof Key for Code Exchange (RFC 7636), S256 only: `plain` would put the verifier into the browser's
 * history. Prevents the use of a stolen authorization code: only the client that started the request
 * knows the verifier.
 */
import { hash } from 'node:crypto';
import { isSameText } from '../core/secrets/same-text.ts';

/** A SHA-256 hash in base64url without padding. */
const CHALLENGE_FORM = /^[A-Za-z0-9_-]{43}$/;
/** RFC 7636, section 4.1. */
const VERIFIER_FORM = /^[A-Za-z0-9._~-]{43,128}$/;

export function isChallenge(text: string): boolean {
  return CHALLENGE_FORM.test(text);
}

/** Whether the verifier is well formed and the challenge was made from it. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER_FORM.test(verifier) || !isChallenge(challenge)) return false;
  return isSameText(hash('sha256', verifier, 'base64url'), challenge);
}
