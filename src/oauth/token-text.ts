/**
 * The form of codes, access tokens and refresh tokens: the id of their sign-in, then the generation
 * of the sign-in in 24 bits, 256 random bits and a MAC of 128 bits (the seal), all base64url.
 *
 * A token that was spent long ago still names its sign-in, and its seal distinguishes it from a text
 * that was never issued, so nothing is stored for it. The store has the SHA-256 of a token, and not the
 * key of the seals: whoever reads the store can neither present nor make a token.
 */
import { createHmac, hash, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 18;
const GENERATION_BYTES = 3;
/** A sign-in that is renewed more often stays at the last one. */
const MAX_GENERATION = 2 ** (8 * GENERATION_BYTES) - 1;
const NONCE_BYTES = 32;
const SEAL_BYTES = 16;
const SEALED_LETTERS = 68;
const FORM = /^([A-Za-z0-9_-]{24})[A-Za-z0-9_-]{68}$/;

type TokenKind = 'code' | 'access_token' | 'refresh_token';

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

export function mintToken(
  signInId: string,
  kind: TokenKind,
  generation: number,
  sealKey: KeyObject,
): MintedToken {
  const begin = Buffer.alloc(GENERATION_BYTES);
  begin.writeUIntBE(Math.min(generation, MAX_GENERATION), 0, GENERATION_BYTES);
  const sealed = Buffer.concat([begin, randomBytes(NONCE_BYTES)]);
  const seal = sealOf(signInId, sealed, kind, sealKey);
  const text = signInId + Buffer.concat([sealed, seal]).toString('base64url');
  return { text, hash: hashOf(text) };
}

/** The generation in which a text of this form was issued as a token of this kind, or undefined. */
export function mintedGeneration(
  text: string,
  kind: TokenKind,
  sealKey: KeyObject,
): number | undefined {
  const bytes = Buffer.from(text.slice(-SEALED_LETTERS), 'base64url');
  const sealed = bytes.subarray(0, -SEAL_BYTES);
  const seal = sealOf(text.slice(0, -SEALED_LETTERS), sealed, kind, sealKey);
  if (!timingSafeEqual(bytes.subarray(-SEAL_BYTES), seal)) return undefined;
  return sealed.readUIntBE(0, GENERATION_BYTES);
}

/** The sign-in and the hash of a presented token, or undefined when it cannot be one of ours. */
export function readToken(text: string): PresentedToken | undefined {
  const signInId = FORM.exec(text)?.[1];
  return signInId === undefined ? undefined : { signInId, hash: hashOf(text) };
}

function sealOf(signInId: string, sealed: Buffer, kind: TokenKind, sealKey: KeyObject): Buffer {
  const seal = createHmac('sha256', sealKey).update(`${signInId} ${kind} `).update(sealed).digest();
  return seal.subarray(0, SEAL_BYTES);
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
