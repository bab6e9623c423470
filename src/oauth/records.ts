/**
 * The records of the store, and the steps from one state of a sign-in to the next.
 *
 * A sign-in (a "family" of tokens) begins with a correct password. It holds a pending code, and after
 * the exchange the current refresh token and the last few access tokens, all as hashes. The steps are
 * pure functions: each returns the next record and the texts for the client.
 */
import type { KeyObject } from 'node:crypto';
import { DAY_MS } from '../core/time.ts';
import { type MintedToken, mintToken } from './token-text.ts';

export const CLIENTS = 'clients';
export const SIGN_INS = 'sign-ins';
export const CLIENT_METADATA = 'client-metadata';
export const KEPT_CLIENTS = 'kept-clients';
export const REFRESH_GRACE = 'refresh-grace';
export const SHOWN_CLIENTS = 'shown-clients';
export const SIGN_INS_OF_USER = 'sign-ins-of-user';

/** From the last refresh. */
export const REFRESH_TTL_MS = 30 * DAY_MS;
/** How long a client that no sign-in refers to is kept. */
export const CLIENT_TTL_MS = 30 * DAY_MS;
/**
 * Access tokens of one sign-in that are valid at the same time; the oldest gives way. Enough for ten
 * processes that share a sign-in and are each restarted twice.
 */
export const ACCESS_TOKENS_KEPT = 32;

/** A client as registered, or as its metadata document describes it. */
export interface Client {
  readonly id: string;
  /** What the client calls itself, made fit to show. */
  readonly name?: string;
  readonly redirectUris: readonly string[];
}

export interface SignIn {
  readonly user: string;
  /** Which of the users that had this name over time. */
  readonly incarnation: string;
  readonly clientId: string;
  /** What every token of this sign-in is good for. */
  readonly scope: string;
  /** How many refresh tokens it has had. */
  readonly generation: number;
  /** When a code or tokens were last handed out. */
  readonly renewedAt: number;
  /** Absent once any exchange was attempted. */
  readonly code?: PendingCode;
  /** Absent until the code was exchanged. */
  readonly refresh?: HeldToken;
  readonly access: readonly HeldToken[];
}

export interface PendingCode extends HeldToken {
  readonly challenge: string;
  readonly redirectUri: string;
}

interface HeldToken {
  readonly hash: string;
  readonly expiresAt: number;
}

/** For which sign-in tokens are minted, with which key, and when. */
export interface Minting {
  readonly signInId: string;
  readonly sealKey: KeyObject;
  readonly now: number;
}

/** What a token answer carries. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInMs: number;
  readonly scope: string;
}

export interface NewSignIn {
  readonly user: string;
  readonly incarnation: string;
  readonly clientId: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
}

export function beginSignIn(
  { signInId, sealKey, now }: Minting,
  { challenge, redirectUri, ...about }: NewSignIn,
  codeTtlMs: number,
): { code: string; record: SignIn } {
  const { text, hash } = mintToken(signInId, 'code', 0, sealKey);
  const code = { hash, expiresAt: now + codeTtlMs, challenge, redirectUri };
  return { code: text, record: { ...about, generation: 0, renewedAt: now, code, access: [] } };
}

/** The sign-in after an exchange that failed: the code is spent, and no token ever comes of it. */
export function spendCode({ code: _, ...rest }: SignIn): SignIn {
  return rest;
}

/** The sign-in with a new access token and a new refresh token; the former refresh token is spent. */
export function issueTokens(
  minting: Minting,
  signIn: SignIn,
  tokenTtlMs: number,
): { tokens: IssuedTokens; record: SignIn } {
  const { signInId, sealKey, now } = minting;
  const generation = signIn.generation + 1;
  const minted = mintToken(signInId, 'refresh_token', generation, sealKey);
  const refresh = held(minted, now + REFRESH_TTL_MS);
  const next = { ...spendCode(signIn), generation, refresh };
  return issueAccessToken(minting, next, minted.text, tokenTtlMs);
}

/** The sign-in with a new access token beside the refresh token that it has. */
export function issueAccessToken(
  { signInId, sealKey, now }: Minting,
  signIn: SignIn,
  refreshToken: string,
  tokenTtlMs: number,
): { tokens: IssuedTokens; record: SignIn } {
  const access = mintToken(signInId, 'access_token', signIn.generation, sealKey);
  const stillValid = signIn.access.filter(({ expiresAt }) => expiresAt > now);
  const { scope } = signIn;
  return {
    tokens: { accessToken: access.text, refreshToken, expiresInMs: tokenTtlMs, scope },
    record: {
      ...signIn,
      renewedAt: now,
      access: [...stillValid, held(access, now + tokenTtlMs)].slice(-ACCESS_TOKENS_KEPT),
    },
  };
}

/** The record is kept until the last token in it expires. */
export function lifetimeOf(signIn: SignIn, now: number): { ttlMs: number; evictable: false } {
  const ends = [signIn.code, signIn.refresh, ...signIn.access].map(
    (token) => token?.expiresAt ?? 0,
  );
  return { ttlMs: Math.max(...ends) - now, evictable: false };
}

function held(token: MintedToken, expiresAt: number): HeldToken {
  return { hash: token.hash, expiresAt };
}
