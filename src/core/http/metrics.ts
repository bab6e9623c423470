/**
 * Metrics for Prometheus, off by default, behind a key. Every log event is counted where it is written,
 * so that log and metrics agree. The library is loaded only when metrics are on.
 */
import type { FastifyInstance } from 'fastify';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Fields, Log } from '../log/log.ts';
import { MIN_KEY_LENGTH, type Secret } from '../secrets/secret.ts';
import { VERSION } from '../version.ts';
import { countDecoys } from './decoy-metrics.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Why a key is not usable, or undefined. It must be possible to send it as a bearer token. */
export function metricsKeyProblem(key: Secret): string | undefined {
  if (key.length < MIN_KEY_LENGTH) return `must have at least ${MIN_KEY_LENGTH} characters`;
  if (key.fitsBearer) return undefined;
  return 'must be visible ASCII without spaces, since it is sent as a bearer token; make one with: openssl rand -hex 32';
}

/** Called with every event above the level debug. */
type CountEvent = (event: string, fields: Fields) => void;

export class Metrics {
  readonly #library: typeof import('prom-client');
  readonly #registry: Registry;
  readonly #key: Secret;
  readonly #counting: CountEvent[] = [];

  private constructor(library: typeof import('prom-client'), key: Secret) {
    this.#library = library;
    this.#registry = new library.Registry();
    this.#key = key;
    library.collectDefaultMetrics({ register: this.#registry });
  }

  static async create(program: string, key: Secret): Promise<Metrics> {
    const metrics = new Metrics(await import('prom-client'), key);
    metrics
      .gauge('gatehouse_build_info', 'The running version; always 1.', ['program', 'version'])
      .set({ program, version: VERSION }, 1);
    const events = metrics.counter('gatehouse_events_total', 'Log events by kind.', ['event']);
    metrics.count((event) => events.inc({ event }));
    countDecoys(metrics);
    return metrics;
  }

  /** `collect` is called at each scrape, for what is counted elsewhere. */
  counter<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    collect?: (counter: Counter<L>) => void,
  ): Counter<L> {
    const counter: Counter<L> = new this.#library.Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      ...(collect && {
        collect: () => {
          counter.reset();
          collect(counter);
        },
      }),
    });
    return counter;
  }

  /** `collect` is called at each scrape, to set the gauge. */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    const gauge: Gauge<L> = new this.#library.Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      ...(collect && { collect: () => collect(gauge) }),
    });
    return gauge;
  }

  /** Durations, in seconds. */
  histogram<L extends string>(name: string, help: string, labelNames: readonly L[]): Histogram<L> {
    const registers = [this.#registry];
    return new this.#library.Histogram({ name, help, labelNames, buckets: SECONDS, registers });
  }

  count(counting: CountEvent): void {
    this.#counting.push(counting);
  }

  /** The same log, counted. */
  observe(log: Log): Log {
    const count = (event: string, fields: Fields = {}) => {
      for (const counting of this.#counting) counting(event, fields);
    };
    const counted = (write: (event: string, fields?: Fields) => void) => {
      return (event: string, fields?: Fields) => {
        count(event, fields);
        write(event, fields);
      };
    };
    return {
      debug: (event, fields) => log.debug(event, fields),
      info: counted(log.info),
      warn: counted(log.warn),
      error: counted(log.error),
      always: (level, event, fields) => {
        count(event, fields);
        return log.always(level, event, fields);
      },
    };
  }

  /** Serves `/metrics` to anyone who has the key. */
  mount(app: FastifyInstance): void {
    app.get('/metrics', async (request, reply) => {
      const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (presented === undefined || !this.#key.equals(presented)) {
        reply.code(401).header('www-authenticate', 'Bearer realm="metrics"');
        return { error: 'unauthorized', message: 'send the metrics key as a bearer token' };
      }
      const { contentType } = this.#registry;
      reply.header('content-type', contentType).header('cache-control', 'no-store');
      return this.#registry.metrics();
    });
  }
}
