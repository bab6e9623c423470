/**
 * The HTTP server of every program: Fastify with limits of size, time and connections, JSON errors
 * without internal details, and a drain that lets running calls finish.
 */
import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { describeError, type Log } from '../log/log.ts';
import { RETRY_AFTER_S, StoreUnavailable } from '../store/shared-store.ts';
import { clientOfRequest, type IsTrustedProxy } from './client-address.ts';
import { refuseBytes, sendClientError } from './client-errors.ts';
import { limitConnections } from './connection-limit.ts';
import { closeConnectionsOnDrain } from './drain-connections.ts';
import { refuseMalformedHttp } from './refuse-malformed-http.ts';
import { keepTickShape } from './tick-shape.ts';
import { keepOpenBehindRefusedBodies } from './unread-body.ts';

/** One MiB of request body can be six when JSON-escaped; the tool itself must be able to refuse it. */
export const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
export const HEADERS_TIMEOUT_MS = 15_000;
export const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the idle time of the usual reverse proxies, so that they close first. */
export const KEEP_ALIVE_MS = 75_000;
export const TIMEOUT_CHECK_MS = 2_000;
export const MAX_HEADER_BYTES = 32 * 1024;

/**
 * No route has a JSON schema. With this setting, Fastify does not load its schema compilers, which are a
 * hundred modules and several megabytes.
 */
const NO_SCHEMAS = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Called with a request that no hook of a program sees: refused earlier, or of another listener. */
    onRequestOutsideHooks: (request: IncomingMessage) => void;
    /** Called with a body that a route reads itself, which no hook sees. */
    onBodyRead: (body: Buffer, request: IncomingMessage) => void;
  }
  interface FastifyRequest {
    /** The address of the client, according to the peer and trusted proxies. */
    readonly clientAddress: string;
  }
}

export type ShowNotFound = (request: FastifyRequest, reply: FastifyReply) => boolean;

interface ServerOptions {
  readonly log: Log;
  /** Whether the peer at this address is trusted to set `X-Forwarded-For`. */
  readonly isTrustedProxy?: IsTrustedProxy;
  /** Answers a browser at an unknown path; returns false where the answer is to be JSON. */
  readonly showNotFound?: ShowNotFound;
  /** Shorter in tests of slow clients. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export function createServer(options: ServerOptions): FastifyInstance {
  keepTickShape();
  const { log, isTrustedProxy, headersTimeoutMs = HEADERS_TIMEOUT_MS } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 1_024 },
    schemaController: NO_SCHEMAS,
    frameworkErrors: (error, { raw }, reply) => {
      app.onRequestOutsideHooks(raw);
      error.message = 'nothing is served at such a path';
      return sendClientError(reply, error);
    },
    clientErrorHandler: refuseBytes,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, headersTimeoutMs),
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
  });
  limitConnections(app.server, isTrustedProxy);
  leaveBodiesUnread(app);
  keepOpenBehindRefusedBodies(app);
  app.decorate('onRequestOutsideHooks', () => {});
  app.decorate('onBodyRead', () => {});
  app.decorateRequest('clientAddress', {
    getter() {
      return clientOfRequest(this.raw, isTrustedProxy).address.text;
    },
  });
  refuseMalformedHttp(app);
  closeConnectionsOnDrain(app);

  app.setNotFoundHandler((request, reply) => {
    if (options.showNotFound?.(request, reply)) return;
    reply.code(404).send({ error: 'not_found', message: 'nothing is served at this path' });
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if ((error as Error) instanceof StoreUnavailable) {
      const answer = { error: 'unavailable', message: error.message };
      return reply.code(503).header('retry-after', RETRY_AFTER_S).send(answer);
    }
    if (status < 500) return sendClientError(reply, error);
    log.error('internal_error', { message: describeError(error) });
    return reply
      .code(500)
      .send({ error: 'internal_error', message: 'the server failed; see its log' });
  });
  return app;
}

/** Bodies are parsed only in the scopes of routes that need one; others are not read. */
function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Refuses new work at once and lets running calls finish for up to `graceMs`, then closes their
 * connections. Owners of streams end them in a `preClose` hook, and wait for calls without a connection
 * in an `onClose` hook.
 */
export async function drain(app: FastifyInstance, graceMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}

function refuseSchema(): never {
  throw new Error('a route has a schema; check the request in the route instead');
}
