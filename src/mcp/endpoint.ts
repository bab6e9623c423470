/**
 * The MCP endpoint, both protocol eras on one path. The order of a request: host and origin, bearer
 * token, body, era, method, answer. No body is read before the caller is authenticated.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../core/http/caller.ts';
import { keepOpenBehindUnreadBody } from '../core/http/unread-body.ts';
import { Answer } from './answer.ts';
import { BodyBudget } from './body-budget.ts';
import { Exchange } from './exchange.ts';
import {
  bodyText,
  errorText,
  idOf,
  isObject,
  METHOD_NOT_FOUND,
  parseBody,
  RpcError,
} from './jsonrpc.ts';
import { endLegacySession, type LegacyCaller, openLegacyStream, postLegacy } from './legacy.ts';
import { claimsModern, MODERN_VERSION, postModern } from './modern.ts';
import { headerText } from './modern-headers.ts';
import type { ForbiddenCode, McpOptions } from './options.ts';
import { EXPOSED_HEADERS, originGuard, PREFLIGHT_HEADERS } from './origin.ts';
import { receiveBody } from './receive-body.ts';
import { RunningWork } from './running-work.ts';
import { createService } from './service.ts';

export interface McpEndpoint {
  /** Tells the user's open streams that the tools, or what they reach, have changed. */
  toolsChanged(user: string): void;
  /** Closes streams and sessions of a user who was removed. */
  endUser(user: string): void;
}

interface McpRequest<C extends Caller> extends FastifyRequest {
  mcpCaller: C;
  mcpJudgedAt: number;
}

const PATHS = ['/mcp', '/mcp/'];
const ALLOW = 'GET, POST, DELETE, OPTIONS';
const ANSWERED = `this endpoint answers ${ALLOW}`;
const OTHER_METHODS = ['HEAD', 'PUT', 'PATCH'];
/** A body that takes longer to come may have outlived its token. */
const SLOW_BODY_MS = 1_000;
/** How long a shutdown waits for calls whose connection was closed. */
const CUT_CALLS_MS = 3_000;

export function mountMcp<C extends Caller>(
  app: FastifyInstance,
  options: McpOptions<C>,
): McpEndpoint {
  const service = createService(options);
  const guard = originGuard(options.publicUrl, options.allowedOrigins);
  const running = new RunningWork();
  const bodies = new BodyBudget();

  /** Host and origin first: the headers of every later answer depend on them. */
  function admit(request: FastifyRequest, reply: FastifyReply): boolean {
    const { host, origin } = request.headers;
    if (!guard.isHostAllowed(host)) {
      return forbid(request, reply, 'forbidden_host', 'this host name is not served here');
    }
    if (origin === undefined) return true;
    reply.raw.setHeader('vary', 'Origin');
    if (!guard.isOriginAllowed(origin)) {
      return forbid(request, reply, 'forbidden_origin', 'this origin may not call the server');
    }
    reply.raw.setHeader('access-control-allow-origin', origin);
    reply.raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
    return true;
  }

  function forbid(
    request: FastifyRequest,
    reply: FastifyReply,
    error: ForbiddenCode,
    message: string,
  ): false {
    options.onForbidden?.(request, error);
    reply.code(403).send(refusal(error, message));
    return false;
  }

  function authenticate(request: FastifyRequest, reply: FastifyReply, next: Next): void {
    if (!admit(request, reply)) return;
    options.authenticate(request, reply).then((caller) => {
      if (caller === undefined) return;
      (request as McpRequest<C>).mcpCaller = caller;
      (request as McpRequest<C>).mcpJudgedAt = service.now();
      next();
    }, next);
  }

  /** All that follows the token. Fastify's own body parser and handler would cost a tenth more. */
  function receive(request: FastifyRequest, reply: FastifyReply): void {
    const refuse = (error: Error) => answerError(request, reply, error);
    const reservation = bodies.reservation((request as McpRequest<C>).mcpCaller.user, (callback) =>
      reply.raw.destroyed ? callback() : reply.raw.once('close', callback),
    );
    receiveBody(
      request.raw,
      reservation,
      (bytes) => {
        app.onBodyRead(bytes, request.raw);
        judgeAgain(request, reply, (error) => {
          if (error === undefined) post(request, reply, bytes);
          else refuse(error);
        });
      },
      refuse,
    );
  }

  function judgeAgain(request: FastifyRequest, reply: FastifyReply, next: Next): void {
    const tookMs = service.now() - (request as McpRequest<C>).mcpJudgedAt;
    if (tookMs <= SLOW_BODY_MS) next();
    else authenticate(request, reply, next);
  }

  function post(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): void {
    const { headers } = request;
    const caller = (request as McpRequest<C>).mcpCaller;
    const exchange = new Exchange(new Answer(reply), headers.accept, service);
    let body: unknown;
    try {
      body = parseBody(bodyText(bytes));
    } catch (error) {
      fail(exchange, body, error);
      return;
    }
    const work = claimsModern(headerText(headers['mcp-protocol-version']), body)
      ? postModern(service, caller, body, headers, exchange)
      : postLegacy(service, legacyCaller(request), body, exchange);
    running.begin();
    work.then(
      () => running.end(),
      (error: unknown) => {
        running.end();
        fail(exchange, body, error);
      },
    );
  }

  function fail(exchange: Exchange, body: unknown, error: unknown): void {
    const rpcError = service.toRpcError(error, methodOf(body));
    const { response } = exchange.answer;
    const { retryAfterS } = rpcError;
    if (retryAfterS !== undefined && !response.headersSent) {
      response.setHeader('retry-after', retryAfterS);
    }
    exchange.finish(errorText(idOf(body), rpcError), rpcError.status);
  }

  function legacyCaller(request: FastifyRequest): LegacyCaller<C> {
    return {
      caller: (request as McpRequest<C>).mcpCaller,
      sessionId: headerText(request.headers['mcp-session-id']),
      version: headerText(request.headers['mcp-protocol-version']),
    };
  }

  /** GET and DELETE exist in the legacy protocol only. */
  function legacyOnly(
    serve: (from: LegacyCaller<C>, answer: Answer) => Promise<void>,
  ): (request: FastifyRequest, reply: FastifyReply) => void {
    return async (request, reply) => {
      const from = legacyCaller(request);
      try {
        if (from.version === MODERN_VERSION) {
          reply.raw.setHeader('allow', 'POST, OPTIONS');
          throw new RpcError(METHOD_NOT_FOUND, 'this revision only has POST', { status: 405 });
        }
        await serve(from, new Answer(reply));
      } catch (error) {
        answerError(request, reply, error);
      }
    };
  }

  /** Answers with a JSON-RPC error where there is no message yet. */
  function answerError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const rpcError = service.toRpcError(error, request.method);
    const { status, retryAfterS } = rpcError;
    if (retryAfterS !== undefined) reply.raw.setHeader('retry-after', retryAfterS);
    keepOpenBehindUnreadBody(request.raw, reply.raw);
    new Answer(reply).json(errorText(null, rpcError), status === 200 ? 500 : status);
  }

  app.register(async (scope) => {
    scope.decorateRequest('mcpCaller', null);
    scope.setErrorHandler((error, request, reply) => answerError(request, reply, error));
    scope.addHook('preClose', async () => service.listeners.endAll());
    scope.addHook('onClose', async () => running.ended(CUT_CALLS_MS));
    const openStream = legacyOnly((from, answer) => openLegacyStream(service, from, answer));
    const endSession = legacyOnly(async (from, answer) => {
      await endLegacySession(service, from);
      answer.status(204);
    });
    for (const path of PATHS) {
      scope.post(path, { onRequest: [authenticate, receive] }, unreached);
      scope.get(path, { onRequest: [authenticate, openStream], exposeHeadRoute: false }, unreached);
      scope.delete(path, { onRequest: [authenticate, endSession] }, unreached);
      scope.route({
        method: 'OPTIONS',
        url: path,
        onRequest: (request, reply) => {
          if (admit(request, reply)) reply.code(204).headers(PREFLIGHT_HEADERS).send();
        },
        handler: unreached,
      });
      scope.route({
        method: OTHER_METHODS,
        url: path,
        onRequest: (request, reply) => {
          if (!admit(request, reply)) return;
          reply.code(405).header('allow', ALLOW).send(refusal('method_not_allowed', ANSWERED));
        },
        handler: unreached,
      });
    }
  });

  return {
    toolsChanged: (user) => service.listeners.toolsChanged(user),
    endUser: (user) => {
      service.sessions.endUser(user);
      service.listeners.endUser(user);
    },
  };
}

type Next = (error?: Error) => void;

/** Every request is answered in `onRequest`, before Fastify would look for a body. */
function unreached(): void {}

function refusal(error: string, message: string): object {
  return { error, message };
}

/** For the log. */
function methodOf(body: unknown): string {
  return isObject(body) && typeof body.method === 'string' ? body.method : '';
}
