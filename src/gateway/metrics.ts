/**
 * Metrics for Prometheus, off unless configured. They are drawn from the log: every event is
 * counted where it is written, so the two can never disagree. Loaded only when wanted.
 */
import type { FastifyInstance } from 'fastify';
import type { Fields, Log } from '../core/log.ts';
import type { Secret } from '../core/secret.ts';
import { VERSION } from '../core/version.ts';

export interface Metrics {
  /** The same log, counted. */
  observe(log: Log): Log;
  /** Serves `/metrics` to whoever has the key. */
  mount(app: FastifyInstance): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export async function createMetrics(key: Secret): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import(
    'prom-client'
  );
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'The running version; always 1.',
    labelNames: ['program', 'version'],
    registers,
  }).set({ program: 'gateway', version: VERSION }, 1);
  const events = new Counter({
    name: 'gatehouse_events_total',
    help: 'Log events by kind.',
    labelNames: ['event'],
    registers,
  });
  const requests = new Counter({
    name: 'gateway_requests_total',
    help: 'Requests by target and outcome: the class of the upstream status, or the refusal code.',
    labelNames: ['target', 'outcome'],
    registers,
  });
  const redactions = new Counter({
    name: 'gateway_redactions_total',
    help: 'Secret values removed from answers, by target.',
    labelNames: ['target'],
    registers,
  });
  const duration = new Histogram({
    name: 'gateway_request_duration_seconds',
    help: 'Time from the call to its answer.',
    labelNames: ['target'],
    buckets: SECONDS,
    registers,
  });

  function count(event: string, fields: Fields = {}): void {
    events.inc({ event });
    if (event !== 'request') return;
    const target = String(fields.target ?? '');
    const outcome = String(fields.error ?? `${Math.floor(Number(fields.status) / 100)}xx`);
    requests.inc({ target, outcome });
    redactions.inc({ target }, Number(fields.redacted ?? 0));
    duration.observe({ target }, Number(fields.duration_ms ?? 0) / 1_000);
  }

  return {
    observe: (log) => ({
      debug: (event, fields) => log.debug(event, fields),
      info: counted(log.info, count),
      warn: counted(log.warn, count),
      error: counted(log.error, count),
      always: (level, event, fields) => {
        count(event, fields);
        log.always(level, event, fields);
      },
    }),
    mount: (app) => {
      app.get('/metrics', async (request, reply) => {
        const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
        if (presented === undefined || !key.equals(presented)) {
          reply.code(401).header('www-authenticate', 'Bearer realm="metrics"');
          return { error: 'unauthorized', message: 'send the metrics key as a bearer token' };
        }
        reply.header('content-type', registry.contentType).header('cache-control', 'no-store');
        return registry.metrics();
      });
    },
  };
}

function counted(
  write: (event: string, fields?: Fields) => void,
  count: (event: string, fields?: Fields) => void,
): (event: string, fields?: Fields) => void {
  return (event, fields) => {
    count(event, fields);
    write(event, fields);
  };
}
