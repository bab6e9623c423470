/** Metrics of the standalone decoys, on a listener of their own: beside the decoys they would be a tell-tale. */
import type { Listen } from '../core/config/environment.ts';
import { Metrics } from '../core/http/metrics.ts';
import { openListener } from '../core/http/open-listener.ts';
import { createServer } from '../core/http/server.ts';
import type { Log } from '../core/log/log.ts';
import type { Secret } from '../core/secrets/secret.ts';

export interface MetricsSettings {
  readonly listen: Listen;
  readonly key: Secret;
}

export interface DecoyMetrics {
  /** The same log, counted. */
  observe(log: Log): Log;
  open(log: Log): Promise<void>;
  close(): Promise<void>;
}

export async function decoyMetrics({ listen, key }: MetricsSettings): Promise<DecoyMetrics> {
  const metrics = await Metrics.create('decoys', key);
  let close = async () => {};
  return {
    observe: (log) => metrics.observe(log),
    open: async (log) => {
      const app = createServer({ log });
      metrics.mount(app);
      await openListener(app.server, listen, (at) => app.listen(at));
      close = () => app.close();
    },
    close: () => close(),
  };
}
