/** Three gateways behind a balancer with one store: to a client, and to most tests, one gateway. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayOptions, GatewayProcess } from '../gateway/gateway.ts';
import { entryOf } from '../programs/entry.ts';
import { freePort } from '../programs/free-port.ts';
import { PATIENCE_MS } from '../programs/patience.ts';
import { type LogLine, type ProgramProcess, startProgram } from '../programs/program.ts';
import { REPLICAS, SEAL_KEY } from './mode.ts';
import { type Running, startBalancer, startRedis, type TestRedis } from './programs.ts';

const ENTRY = entryOf('gateway');

export interface Replica extends ProgramProcess {
  readonly url: string;
  readonly port: number;
}

export interface GatewayReplicas extends GatewayProcess {
  readonly replicas: readonly Replica[];
  readonly redis: TestRedis;
  readonly balancer: Running;
  /** Starts the replica of that number anew; its former process must have ended. */
  restart(index: number): Promise<Replica>;
}

export interface ReplicaOptions extends GatewayOptions {
  readonly count?: number;
  /** What is started otherwise: a server of one's own, with another URL for the gateways. */
  readonly redis?: TestRedis;
  readonly storeUrl?: string;
  /** The path by which the balancer finds out which replicas serve. */
  readonly check?: string;
}

export async function startReplicas(options: ReplicaOptions): Promise<GatewayReplicas> {
  const { count = REPLICAS } = options;
  const redis = options.redis ?? (await startRedis());
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const directory = mkdtempSync(join(tmpdir(), 'replicas-test-'));
  const configPath = join(directory, 'config.yaml');
  const writeConfig = (config: string) =>
    writeFileSync(configPath, config.replaceAll('PORT', String(port)));
  writeConfig(options.config);

  const merged: LogLine[] = [];
  const taken = new Map<ProgramProcess, number>();
  const started: ProgramProcess[] = [];
  const waiting = new Set<() => void>();
  /** In the order of arrival, as a log collector would have them. */
  const lines = () => {
    for (const program of started) {
      const own = program.lines();
      merged.push(...own.slice(taken.get(program) ?? 0));
      taken.set(program, own.length);
    }
    return [...merged];
  };
  const start = async (index: number): Promise<Replica> => {
    const program = await startProgram({
      entry: options.entry ?? ENTRY,
      env: {
        GATEWAY_CONFIG: configPath,
        GATEWAY_LISTEN: `127.0.0.1:${ports[index]}`,
        GATEWAY_PUBLIC_URL: url,
        GATEWAY_STORE: options.storeUrl ?? redis.url,
        GATEWAY_SEAL_KEY: SEAL_KEY,
        ...options.env,
      },
      onOutput: () => {
        for (const look of [...waiting]) look();
      },
    });
    started.push(program);
    return { ...program, port: ports[index]!, url: `http://127.0.0.1:${ports[index]}` };
  };
  const replicas = await Promise.all(ports.map((_, index) => start(index))).catch(async (error) => {
    for (const program of started) program.signal('SIGKILL');
    if (!options.redis) await redis.remove();
    throw error;
  });
  const balancer = await startBalancer(ports, {
    port,
    ...(options.check && { check: options.check }),
  });

  const linesThat: ProgramProcess['linesThat'] = (fits, wanted, what = 'a log line') =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines().filter(fits);
        if (found.length < wanted) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        waiting.delete(look);
        const said = started.map((program) => program.stdout().slice(-1_000)).join('\n');
        reject(new Error(`${what} did not come; the replicas said: ${said}`));
      }, PATIENCE_MS);
      waiting.add(look);
      look();
    });
  const exited = () => Promise.all(started.map((program) => program.exited));
  return {
    pid: replicas[0]!.pid,
    stdout: () => started.map((program) => program.stdout()).join(''),
    stderr: () => started.map((program) => program.stderr()).join(''),
    lines,
    line: async (fits, what) => (await linesThat(fits, 1, what))[0]!,
    linesThat,
    signal: (name) => {
      for (const replica of replicas) replica.signal(name);
    },
    exited: replicas[0]!.exited,
    url,
    port,
    configPath,
    writeConfig,
    replicas,
    redis,
    balancer,
    restart: async (index) => {
      replicas[index] = await start(index);
      return replicas[index];
    },
    stop: async () => {
      for (const program of started) program.signal('SIGTERM');
      const codes = await exited();
      await balancer.stop();
      if (!options.redis) await redis.remove();
      rmSync(directory, { recursive: true, force: true });
      return codes.find((code) => code !== 0) ?? 0;
    },
  };
}
