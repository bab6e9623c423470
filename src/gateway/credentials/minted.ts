/** A token that was made, and what making one needs. */
import type { Secret } from '../../core/secrets/secret.ts';
import type { TokenAnswer, TokenRequest } from './guarded-fetch.ts';

/** Where the provider does not say it, which RFC 6749 allows. A 401 ends it earlier. */
export const DEFAULT_LIFE_MS = 3_600_000;
/** The part of its life after which a token is renewed. */
export const RENEW_AT = 0.8;

/** Where the refresh token of a grant is kept. */
export interface RefreshTokens {
  read(): Promise<string>;
  /** Never throws: the new token is used in any case. */
  replace(spent: string, token: string): Promise<void>;
}

export interface Minted {
  readonly token: Secret;
  /** Undefined where the provider does not say how long the token lives. */
  readonly lifetimeMs: number | undefined;
  /** Of the provider's answer; undefined where nobody was asked. */
  readonly status: number | undefined;
}

export interface MintContext {
  readonly fetch: (request: TokenRequest) => Promise<TokenAnswer>;
  /** The wall clock, by which a provider judges a JWT. */
  readonly wallNowMs: () => number;
  /** Makes a value known to the redactor, before anything else is done with it. */
  readonly expose: (part: ExposedPart, value: string) => Secret;
  /** For the grant `refresh_token`. */
  readonly refreshTokens: RefreshTokens | undefined;
}

export type ExposedPart = 'token' | 'assertion' | 'refresh_token';
