/**
 * Every error the OAuth endpoints can answer with, and its status (RFC 6749, section 5.2;
 * RFC 7591, section 3.2.2; RFC 8707, section 2). No other file knows a status of these.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { describeError, type Log } from '../core/log/log.ts';
import { RETRY_AFTER_S, StoreUnavailable } from '../core/store/shared-store.ts';

const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_target: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  temporarily_unavailable: 503,
} as const;

type OAuthErrorCode = keyof typeof STATUS;

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** Answers in JSON; other errors of the client get `fallback` as code. */
export function oauthErrorHandler(log: Log, fallback: OAuthErrorCode) {
  return (error: FastifyError | OAuthError, _request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store');
    if (error instanceof OAuthError) {
      if (STATUS[error.code] === 503) reply.header('retry-after', '60');
      return reply
        .code(STATUS[error.code])
        .send({ error: error.code, error_description: error.message });
    }
    if (error instanceof StoreUnavailable) {
      const answer = { error: 'temporarily_unavailable', error_description: error.message };
      return reply.code(503).header('retry-after', RETRY_AFTER_S).send(answer);
    }
    const status = error.statusCode ?? 500;
    if (status < 500) {
      return reply.code(status).send({ error: fallback, error_description: badBody(status) });
    }
    log.error('internal_error', { message: describeError(error) });
    return reply
      .code(500)
      .send({ error: 'server_error', error_description: 'the server failed; see its log' });
  };
}

/** Not Fastify's message: RFC 6749 allows only printable ASCII in a description. */
function badBody(status: number): string {
  if (status === 413) return 'the body is too large; send at most 64 KiB';
  if (status === 415) return 'the body has another content type than this endpoint reads';
  return 'the body cannot be read';
}
