/**
 * The form of codes, access tokens and refresh tokens: the id of their sign-in, then 256
 * random bits and 128 that seal them, all base64url.
 *
 * One look-up finds the sign-in, so a token that was spent long ago still names the family
 * it belongs to, and its seal tells it from a text that was never handed out: nothing has to
 * be kept for it. Only the SHA-256 of a token is ever stored: anyone who reads the store cannot
 * sign in with what is there.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 18;
const KEY_BYTES = 32;
const NONCE_BYTES = 32;
const SEAL_BYTES = 16;
const SEALED_LETTERS = 64;
const FORM = /^([A-Za-z0-9_-]{24})[A-Za-z0-9_-]{64}$/;

export type TokenKind = 'code' | 'access_token' | 'refresh_token';

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

/** Of one sign-in: seals its tokens, and can do nothing else. */
export function newSealKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

export function mintToken(signInId: string, kind: TokenKind, sealKey: string): MintedToken {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = Buffer.concat([nonce, sealOf(nonce, kind, sealKey)]);
  const text = signInId + sealed.toString('base64url');
  return { text, hash: hashOf(text) };
}

/** Whether the text, which has the form of a token, was handed out as one of this kind. */
export function wasMinted(text: string, kind: TokenKind, sealKey: string): boolean {
  const sealed = Buffer.from(text.slice(-SEALED_LETTERS), 'base64url');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  return timingSafeEqual(sealed.subarray(NONCE_BYTES), sealOf(nonce, kind, sealKey));
}

/** What a presented token says of itself, or undefined when it cannot be one of ours. */
export function readToken(text: string): PresentedToken | undefined {
  const signInId = FORM.exec(text)?.[1];
  return signInId === undefined ? undefined : { signInId, hash: hashOf(text) };
}

/** Compares two hashes that `hashOf` made, in constant time. */
export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function sealOf(nonce: Buffer, kind: TokenKind, sealKey: string): Buffer {
  const seal = createHmac('sha256', sealKey).update(kind).update(nonce).digest();
  return seal.subarray(0, SEAL_BYTES);
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
