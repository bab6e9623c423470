/**
 * `POST /token`: an authorization code with its verifier, or a refresh token, for an access
 * token and the next refresh token (OAuth 2.1, section 3.2).
 *
 * The client is checked before the grant: `invalid_client` is what makes a client register
 * again after this server was restarted. Whatever else is wrong with a code, trying it
 * spends it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../core/log/log.ts';
import type { Clients } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import {
  parameter,
  refuseForeignResource,
  refuseRepeated,
  requiredParameter,
} from './parameters.ts';
import { provesChallenge } from './pkce.ts';
import type { Grant, SignIns } from './sign-ins.ts';

interface TokenOptions {
  readonly publicUrl: string;
  readonly clients: Clients;
  readonly signIns: SignIns;
  readonly log: Log;
}

export function tokenHandler(options: TokenOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const parameters = request.body instanceof URLSearchParams ? request.body : NOTHING;
    refuseRepeated(parameters);
    const clientId = requiredParameter(parameters, 'client_id');
    if (!(await options.clients.isKnown(clientId))) {
      throw new OAuthError('invalid_client', 'this client is not known here; register it again');
    }
    const grant = requiredParameter(parameters, 'grant_type');
    const granted = await grantFor(grant, clientId, parameters, options);
    const { tokens, user, isGrace } = granted;
    options.log.info('token_issued', {
      ...{ user, client_id: clientId, grant },
      ...(isGrace && { grace: true }),
    });
    return reply.header('cache-control', 'no-store').send({
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: Math.floor(tokens.expiresInMs / 1_000),
      refresh_token: tokens.refreshToken,
      scope: tokens.scope,
    });
  };
}

const NOTHING = new URLSearchParams();

function grantFor(
  grant: string,
  clientId: string,
  parameters: URLSearchParams,
  options: TokenOptions,
): Promise<Grant> {
  switch (grant) {
    case 'authorization_code':
      return exchangeCode(clientId, parameters, options);
    case 'refresh_token':
      return refresh(clientId, parameters, options);
    default:
      throw new OAuthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token',
      );
  }
}

async function exchangeCode(
  clientId: string,
  parameters: URLSearchParams,
  { publicUrl, signIns }: TokenOptions,
): Promise<Grant> {
  const text = requiredParameter(parameters, 'code');
  let complaint: unknown;
  const granted = await signIns.exchangeCode(text, (signIn, code) => {
    try {
      refuseForeignResource(parameters, publicUrl);
      const verifier = requiredParameter(parameters, 'code_verifier');
      const redirectUri = parameter(parameters, 'redirect_uri') ?? code.redirectUri;
      return (
        signIn.clientId === clientId &&
        redirectUri === code.redirectUri &&
        provesChallenge(verifier, code.challenge)
      );
    } catch (error) {
      complaint = error;
      return false;
    }
  });
  if (granted) return granted;
  throw (
    complaint ??
    new OAuthError('invalid_grant', 'the code is spent, expired or not for this request')
  );
}

async function refresh(
  clientId: string,
  parameters: URLSearchParams,
  { publicUrl, signIns }: TokenOptions,
): Promise<Grant> {
  refuseForeignResource(parameters, publicUrl);
  const granted = await signIns.refresh(requiredParameter(parameters, 'refresh_token'), clientId);
  if (granted) return granted;
  throw new OAuthError('invalid_grant', 'the refresh token is spent or expired; sign in again');
}
