/**
 * A real OAuth provider on loopback: `oidc-provider`, certified, not ours. Its access tokens are JWTs
 * for the resource `RESOURCE`, else opaque. It rotates refresh tokens and ends the grant when an old
 * one is used again, as RFC 9700 asks. It lacks the grant of RFC 7523, which is added with `jose`.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, jwtVerify } from 'jose';
import { errors, Provider } from 'oidc-provider';

export const CLIENT = { id: 'gateway', secret: 'client-secret-Kq7vRzP2mXw9' };
export const RESOURCE = 'https://api.example.com';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface OAuthProvider {
  readonly url: string;
  /** A refresh token of a signed-in person, without a browser. */
  refreshToken(): Promise<string>;
  /** Whether the provider accepts the access token. */
  accepts(token: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface ProviderOptions {
  readonly redirectUri?: string;
  readonly accessTokenS?: number;
  /** Verifies the assertions of the grant `jwt-bearer`. */
  readonly assertionKey?: CryptoKey;
}

export async function startOAuthProvider(options: ProviderOptions = {}): Promise<OAuthProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ttl = options.accessTokenS ?? 3600;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials', JWT_BEARER],
        redirect_uris: [options.redirectUri ?? 'http://127.0.0.1/callback'],
        application_type: 'native',
      },
    ],
    scopes: ['openid', 'offline_access', 'read'],
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'read',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    rotateRefreshToken: true,
    ttl: { AccessToken: ttl, ClientCredentials: ttl, RefreshToken: 86_400, Grant: 86_400 },
  });
  provider.registerGrantType(
    JWT_BEARER,
    async (ctx) => {
      const { assertion } = ctx.oidc.params as unknown as { assertion: string };
      try {
        await jwtVerify(assertion, options.assertionKey!, { audience: `${url}/token` });
      } catch {
        throw new errors.InvalidGrant('the assertion is not valid');
      }
      const token = new provider.ClientCredentials({ client: ctx.oidc.client! });
      const access_token = await token.save();
      ctx.body = { access_token, token_type: 'Bearer', expires_in: ttl };
    },
    ['assertion'],
  );
  server.on('request', provider.callback());
  const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
  return {
    url,
    refreshToken: async () => {
      const client = (await provider.Client.find(CLIENT.id))!;
      const grant = new provider.Grant({ clientId: CLIENT.id, accountId: 'ann' });
      grant.addOIDCScope('openid offline_access');
      const grantId = await grant.save();
      const token = new provider.RefreshToken({
        ...{ client, accountId: 'ann', grantId, scope: 'openid offline_access' },
        ...{ gty: 'authorization_code', expiresWithSession: false },
      } as never);
      return token.save();
    },
    accepts: async (token) => {
      const response = await fetch(`${url}/token/introspection`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ token }),
      });
      return ((await response.json()) as { active?: boolean }).active === true;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
