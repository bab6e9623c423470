/**
 * `GET /readyz`: whether this replica can take new work. `/healthz` says whether the process is alive,
 * and does not depend on the store, which a restart would not repair.
 */
import type { FastifyInstance } from 'fastify';
import { RETRY_AFTER_S, type SharedStore } from '../store/shared-store.ts';

export function mountReadiness(app: FastifyInstance, shared: SharedStore | undefined): void {
  app.get('/readyz', async (_request, reply) => {
    if (!shared || (await shared.isReachable())) return { status: 'ready' };
    reply.code(503).header('retry-after', RETRY_AFTER_S);
    return { status: 'unavailable', message: 'the store is unreachable' };
  });
}
