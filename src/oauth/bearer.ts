/**
 * Checks the `Authorization` header (RFC 6750, section 2.1) before anything else of a request is read.
 * A token in the query or the body, where it would end up in logs, is not accepted.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../core/http/caller.ts';
import { RESOURCE_SCOPES } from './scope.ts';
import type { SignIns } from './sign-ins.ts';

const BEARER = /^bearer +([\x21-\x7e]{1,512})$/i;
const INVALID_TOKEN =
  ', error="invalid_token", error_description="the access token is not valid; sign in again"';

interface BearerOptions {
  readonly publicUrl: string;
  readonly product: string;
  readonly signIns: SignIns;
}

export interface Bearer {
  /**
   * The caller that the `Authorization` header names. Otherwise undefined, and the 401 with
   * its `WWW-Authenticate` has been sent already. Reads no body; call it in `onRequest`.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller | undefined>;
  /** Whether the header of a request that was let in still names its caller. */
  isAlive(request: FastifyRequest): Promise<boolean>;
}

export function bearerAuthentication({ publicUrl, product, signIns }: BearerOptions): Bearer {
  const challenge =
    `Bearer realm="${product.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '')}", ` +
    `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", ` +
    `scope="${RESOURCE_SCOPES.join(' ')}"`;

  async function callerOf(values: readonly string[]): Promise<Caller | undefined> {
    const token = values.length === 1 ? BEARER.exec(values[0]!)?.[1] : undefined;
    return token === undefined ? undefined : signIns.callerOf(token);
  }

  function refuse(values: readonly string[], reply: FastifyReply): void {
    const complaint = values.some((value) => /^bearer /i.test(value)) ? INVALID_TOKEN : '';
    reply
      .code(401)
      .header('www-authenticate', challenge + complaint)
      .header('cache-control', 'no-store')
      .send({ error: 'unauthorized', message: 'sign in and send a valid bearer token' });
  }

  return {
    authenticate: async ({ raw }, reply) => {
      const values = authorizationHeaders(raw.rawHeaders);
      const caller = await callerOf(values);
      if (!caller) refuse(values, reply);
      return caller;
    },
    isAlive: async ({ raw }) =>
      (await callerOf(authorizationHeaders(raw.rawHeaders))) !== undefined,
  };
}

/** Every value as it was sent: Node keeps the first and drops the others. */
function authorizationHeaders(rawHeaders: readonly string[]): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') {
      values.push(rawHeaders[index + 1]!);
    }
  }
  return values;
}
