/** `POST /register`: dynamic client registration (RFC 7591), public clients only. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../core/http/client-address.ts';
import type { Log } from '../core/log/log.ts';
import { readClientDescription } from './client-document.ts';
import type { Clients } from './clients.ts';
import { OAuthError } from './oauth-error.ts';

interface RegisterOptions {
  readonly clients: Clients;
  readonly log: Log;
  readonly now: () => number;
}

export function registerHandler({ clients, log, now }: RegisterOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const description = readClientDescription(request.body);
    const client = await clients.register(description, sourceOf(request.clientAddress));
    if (!client) {
      throw new OAuthError(
        'temporarily_unavailable',
        'the server holds as many clients as it can; try again later',
      );
    }
    log.info('client_registered', {
      client_id: client.id,
      client_name: client.name,
      redirect_hosts: redirectHosts(client.redirectUris),
      ip: request.clientAddress,
    });
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({
        client_id: client.id,
        client_id_issued_at: Math.floor(now() / 1_000),
        ...(client.name !== undefined && { client_name: client.name }),
        redirect_uris: client.redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
  };
}

/** The host, or for an app's own scheme the scheme. */
function redirectHosts(uris: readonly string[]): readonly string[] {
  return [...new Set(uris.map((uri) => new URL(uri).host || new URL(uri).protocol))];
}
