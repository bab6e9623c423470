/**
 * The form of codes, access tokens and refresh tokens: the id of their sign-in, then 256
 * random bits, both base64url.
 *
 * One look-up finds the sign-in, so a token that was spent long ago still names the family
 * it belongs to, and nothing has to be kept for it. Only the SHA-256 of a token is ever
 * stored: whoever reads the store cannot sign in with what stands there.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 18;
const SECRET_BYTES = 32;
const FORM = /^([A-Za-z0-9_-]{24})[A-Za-z0-9_-]{43}$/;

export interface MintedToken {
  /** Goes to the client and nowhere else. */
  readonly text: string;
  readonly hash: string;
}

export interface PresentedToken {
  readonly signInId: string;
  readonly hash: string;
}

export function newSignInId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function mintToken(signInId: string): MintedToken {
  const text = signInId + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: hashOf(text) };
}

/** What a presented token says of itself, or undefined when it cannot be one of ours. */
export function readToken(text: string): PresentedToken | undefined {
  const signInId = FORM.exec(text)?.[1];
  return signInId === undefined ? undefined : { signInId, hash: hashOf(text) };
}

export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
