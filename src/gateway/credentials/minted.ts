/** A token that was made, and what making one needs. */
import type { Secret } from '../../core/secrets/secret.ts';
import type { TokenAnswer, TokenRequest } from './guarded-fetch.ts';
import type { RefreshTokenFile } from './refresh-token-file.ts';

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
  readonly refreshTokens: RefreshTokenFile | undefined;
}

export type ExposedPart = 'token' | 'assertion' | 'refresh_token';
