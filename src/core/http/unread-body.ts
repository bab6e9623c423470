/**
 * Keeps a connection open behind a response that came before the end of the request's body.
 *
 * A client that is still sending when the connection closes gets a reset (EPIPE, ECONNRESET) and
 * often never reads why it was refused; a proxy answers 502 in its place. Node closes the connection
 * when the client asked for `Connection: close`, Fastify when it refuses a body. Kept open, Node
 * discards the rest of the body, for as long as a request may take.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** For what Fastify refuses. A client that asked for `Connection: close` gets it here. */
export function keepOpenBehindRefusedBodies(app: FastifyInstance): void {
  app.addHook('onError', async (_request, reply) => void reply.removeHeader('connection'));
}

/** For a response that is not sent through Fastify. */
export function keepOpenBehindUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (hasUnreadBody(request)) response.setHeader('connection', 'keep-alive');
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
