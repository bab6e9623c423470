/** The addresses that a program listens on: its own and, if configured, one for metrics. */
import type { FastifyInstance } from 'fastify';
import type { Listen } from '../config/environment.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from './metrics.ts';
import { openListener } from './open-listener.ts';
import type { OpenEndpoints } from './own-endpoints.ts';
import { createServer } from './server.ts';

interface Listener {
  readonly app: FastifyInstance;
  readonly address: Listen;
}

/** Serves metrics on the separate listener where there is one, or else on the main one. */
export function withMetrics(
  main: Listener,
  metrics: Metrics | undefined,
  address: Listen | undefined,
  log: Log,
): readonly Listener[] {
  if (!metrics) return [main];
  const separate = address && { app: besideMain(main.app, log), address };
  metrics.mount((separate ?? main).app);
  return separate ? [main, separate] : [main];
}

/** A server that passes every request to the main one, which searches it for honeytokens. */
function besideMain(main: FastifyInstance, log: Log): FastifyInstance {
  const app = createServer({ log });
  app.onRequestOutsideHooks = (request) => main.onRequestOutsideHooks(request);
  app.addHook('onRequest', (request, _reply, done) => {
    main.onRequestOutsideHooks(request.raw);
    done();
  });
  return app;
}

/** Opens them in order, and adds each to the addresses that the network guard blocks. */
export async function openListeners(
  listeners: readonly Listener[],
  own: OpenEndpoints,
): Promise<void> {
  for (const { app, address } of listeners) {
    const port = await openListener(app.server, address, (at) => app.listen(at));
    own.listeners.push({ host: address.host, port });
  }
}
