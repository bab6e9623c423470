/**
 * The OAuth 2.0 grants (RFC 6749, RFC 7523), by oauth4webapi. One of the few places that reveal a
 * secret: the client's, to its token endpoint.
 */
import type { AuthorizationServer, Client, ClientAuth } from 'oauth4webapi';
import type { OAuth2Source } from '../config/minted-secret.ts';
import { CredentialError, providerCode } from './credential-error.ts';
import type { TokenAnswer, TokenRequest } from './guarded-fetch.ts';
import { signJwt } from './jwt.ts';
import type { MintContext, Minted } from './minted.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

interface TokenReply {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly lifetimeMs: number | undefined;
  readonly status: number;
}

export async function requestOAuth2Token(
  source: OAuth2Source,
  context: MintContext,
): Promise<Minted> {
  const { grant } = source;
  if (grant.type === 'refresh_token') return refresh(source, context);
  if (grant.type === 'client_credentials') {
    return minted(await requestToken(source, grant.type, {}, context), context);
  }
  const { jwt } = await signJwt(grant.jwt, context.wallNowMs());
  context.expose('assertion', jwt);
  return minted(await requestToken(source, JWT_BEARER, { assertion: jwt }, context), context);
}

/** If another process has spent the token, its successor is in the file: the file is read once more. */
async function refresh(source: OAuth2Source, context: MintContext): Promise<Minted> {
  const file = context.refreshTokens!;
  const spend = async (token: string): Promise<Minted> => {
    context.expose('refresh_token', token);
    const reply = await requestToken(source, 'refresh_token', { refresh_token: token }, context);
    if (reply.refreshToken !== undefined && reply.refreshToken !== token) {
      context.expose('refresh_token', reply.refreshToken);
      await file.replace(token, reply.refreshToken);
    }
    return minted(reply, context);
  };
  const token = await file.read();
  try {
    return await spend(token);
  } catch (error) {
    if (!(error instanceof CredentialError) || error.code !== 'invalid_grant') throw error;
    const newer = await file.read();
    if (newer === token) throw error;
    return spend(newer);
  }
}

function minted({ accessToken, lifetimeMs, status }: TokenReply, { expose }: MintContext): Minted {
  return { token: expose('token', accessToken), lifetimeMs, status };
}

/** Throws a `CredentialError`, which never holds anything of the answer but its error code. */
export async function requestToken(
  source: OAuth2Source,
  grantType: string,
  grantParameters: Readonly<Record<string, string>>,
  { fetch }: Pick<MintContext, 'fetch'>,
): Promise<TokenReply> {
  const oauth = await import('oauth4webapi');
  const server: AuthorizationServer = {
    issuer: source.tokenUrl,
    token_endpoint: source.tokenUrl,
  };
  const client: Client = { client_id: source.clientId ?? 'none' };
  let status: number | undefined;
  try {
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      clientAuth(source, oauth),
      grantType,
      { ...Object.fromEntries(source.parameters), ...grantParameters },
      {
        // Whether the URL may be http was decided when the configuration was read.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async (url, { method, headers, body }) => {
          const request = { url, method, headers, body: String(body) } satisfies TokenRequest;
          const answer = await fetch(request);
          ({ status } = answer);
          return readable(answer);
        },
      },
    );
    const reply = await oauth.processGenericTokenEndpointResponse(server, client, response);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = reply;
    const lifetimeMs = seconds === undefined ? undefined : seconds * 1_000;
    return { accessToken, refreshToken, lifetimeMs, status: status! };
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    if (!(error instanceof oauth.ResponseBodyError)) {
      const isRefusal = status !== undefined && status >= 400;
      throw new CredentialError(isRefusal ? `status_${status}` : 'invalid_response', status);
    }
    throw new CredentialError(providerCode(error.error), error.status);
  }
}

function clientAuth(
  { clientId, clientSecret, clientAuth: way }: OAuth2Source,
  oauth: typeof import('oauth4webapi'),
): ClientAuth {
  if (clientId === undefined) return () => {};
  if (!clientSecret) return oauth.None();
  const secret = clientSecret.reveal();
  return way === 'post' ? oauth.ClientSecretPost(secret) : basic(clientId, secret);
}

/**
 * RFC 6749, section 2.3.1. Unlike the library, this escapes only what it must: a provider that does
 * not decode would refuse `%2D` for a hyphen.
 */
function basic(clientId: string, secret: string): ClientAuth {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  const credentials = Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}

/**
 * Without other headers, because the library prefers a challenge to the error code in the body. Without
 * the ID token, because the library would verify it, and no issuer is configured.
 */
function readable({ status, contentType, body }: TokenAnswer): Response {
  const headers = { 'content-type': contentType };
  let text = body.toString('utf8');
  try {
    const { id_token: _unused, ...rest } = JSON.parse(text);
    text = JSON.stringify(rest);
  } catch {
    // The library says what is wrong with it.
  }
  return new Response(status === 204 ? null : text, { status, headers });
}
