/** The addresses that a program listens on: its own and, if configured, one for metrics. */
import type { FastifyInstance } from 'fastify';
import type { Listen } from '../config/environment.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from './metrics.ts';
import { openListener } from './open-listener.ts';
import type { OpenEndpoints } from './own-endpoints.ts';
import { createServer } from './server.ts';

export interface Listener {
  readonly app: FastifyInstance;
  readonly address: Listen;
}

/** With a separate listener, metrics are served there alone; else beside everything else. */
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

/** A server whose every request is shown to the main one, which may know what a thief sends. */
function besideMain(main: FastifyInstance, log: Log): FastifyInstance {
  const app = createServer({ log });
  app.onRequestOutsideHooks = (request) => main.onRequestOutsideHooks(request);
  app.addHook('onRequest', (request, _reply, done) => {
    main.onRequestOutsideHooks(request.raw);
    done();
  });
  return app;
}

/** One after the other; the network guard knows each as soon as its port is known. */
export async function openListeners(
  listeners: readonly Listener[],
  own: OpenEndpoints,
): Promise<void> {
  for (const { app, address } of listeners) {
    const port = await openListener(app.server, address, (at) => app.listen(at));
    own.listeners.push({ host: address.host, port });
  }
}
