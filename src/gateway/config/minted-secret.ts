/**
 * Secrets that are not a fixed text: a token that a provider issues, or one that is signed here. The
 * definitions only; `src/gateway/credentials/` makes the tokens.
 */
import type { Secret } from '../../core/secrets/secret.ts';

export interface MintedSecret {
  readonly name: string;
  /** Of the definition as it is written: a reload keeps the token while this is unchanged. */
  readonly fingerprint: string;
  readonly source: TokenSource;
}

export type TokenSource = OAuth2Source | JwtSource | GithubAppSource;

export interface OAuth2Source {
  readonly kind: 'oauth2';
  readonly tokenUrl: string;
  /** Absent only with `jwt_bearer`, where the assertion identifies the client. */
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly clientAuth: 'basic' | 'post';
  /** Of the token request, the scope included. */
  readonly parameters: readonly (readonly [string, string])[];
  readonly grant:
    | { readonly type: 'client_credentials' }
    | {
        readonly type: 'refresh_token';
        readonly file: string;
        readonly authorizeUrl: string | undefined;
      }
    | { readonly type: 'jwt_bearer'; readonly jwt: JwtSource };
}

export const JWT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'HS256'] as const;

export interface JwtSource {
  readonly kind: 'jwt';
  readonly algorithm: (typeof JWT_ALGORITHMS)[number];
  readonly key: Secret;
  readonly keyId: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly lifetimeMs: number;
}

export interface GithubAppSource {
  readonly kind: 'github_app';
  readonly appId: string;
  readonly installationId: string;
  readonly privateKey: Secret;
  readonly apiUrl: string;
}

/** What people call it, in `validate` and `try`. */
export function describeSource(source: TokenSource): string {
  return source.kind === 'oauth2' ? `oauth2 ${source.grant.type}` : source.kind;
}

/** Where a token is requested from; none for a token that is signed here. */
export function tokenEndpointOf(source: TokenSource): string | undefined {
  if (source.kind === 'oauth2') return source.tokenUrl;
  if (source.kind === 'jwt') return undefined;
  return `${source.apiUrl}/app/installations/${source.installationId}/access_tokens`;
}
