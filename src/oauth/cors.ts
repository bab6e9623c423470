/**
 * CORS for the endpoints that clients in browsers call: metadata, registration, tokens. They use no
 * cookie, so any origin may call them. Also the answers to `OPTIONS` and to other methods.
 */
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PREFLIGHT_KEPT_S = 86_400;

export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', 'WWW-Authenticate, Retry-After');
}

/** Answers `OPTIONS` with the methods of a path, and every method that is none of them with 405. */
export function closeMethods(
  scope: FastifyInstance,
  url: string,
  allowed: readonly HTTPMethods[],
  anyOrigin: boolean,
): void {
  const allow = [...allowed, 'OPTIONS'].join(', ');
  scope.route({
    method: 'OPTIONS',
    url,
    onRequest: async (_request, reply) => {
      if (anyOrigin) {
        allowAnyOrigin(reply);
        reply.header('access-control-allow-methods', allow);
        reply.header('access-control-allow-headers', '*, Authorization');
        reply.header('access-control-max-age', String(PREFLIGHT_KEPT_S));
      }
      return reply.code(204).header('allow', allow).send();
    },
    handler: () => undefined,
  });
  scope.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    onRequest: async (_request, reply) => {
      if (anyOrigin) allowAnyOrigin(reply);
      return reply
        .code(405)
        .header('allow', allow)
        .send({
          error: 'invalid_request',
          error_description: `this endpoint answers ${allow}`,
        });
    },
    handler: () => undefined,
  });
}
