/** The store and the balancer of the tests: the real programs, as Debian packages them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../programs/free-port.ts';

const HINT = 'apt-get install --no-install-recommends redis-server haproxy';

function isInstalled(program: string, flag: string): boolean {
  return spawnSync(program, [flag], { stdio: 'ignore' }).status === 0;
}

/** Valkey where it is installed; what Debian 12 has is Redis. */
const SERVER = isInstalled('valkey-server', '--version') ? 'valkey-server' : 'redis-server';

/** False where replicas can be run, else the reason. With `CI` set, a missing program is a failure. */
export function replicasMissing(): string | false {
  const missing = [
    ...(isInstalled(SERVER, '--version') ? [] : [SERVER]),
    ...(isInstalled('haproxy', '-v') ? [] : ['haproxy']),
  ];
  if (missing.length === 0) return false;
  const reason = `${missing.join(' and ')} not installed; ${HINT}`;
  if (process.env.CI) throw new Error(reason);
  return reason;
}

/** See `src/core/redis/scripts.ts`. */
const BUCKETS_SINCE_MS = Date.UTC(2026, 0);

export interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface TestRedis extends Running {
  readonly url: string;
  readonly directory: string;
  /** A connection that looks into the server, beside what is tested. */
  admin<T>(work: (connection: Redis) => Promise<T>): Promise<T>;
  /** How many records have not ended by then, and how many rate buckets are not full. */
  size(now: number): Promise<number>;
  /** The same server once more, after it was stopped. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** A server on loopback that keeps nothing on disk, unless the options say so. */
export async function startRedis(options: readonly string[] = []): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-test-'));
  const port = await freePort();
  const args = [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
    ...['--save', '', '--appendonly', 'no', '--loglevel', 'warning', ...options],
  ];
  let running = await run(SERVER, args, port);
  const admin: TestRedis['admin'] = async (work) => {
    const connection = new Redis(port);
    try {
      return await work(connection);
    } finally {
      connection.disconnect();
    }
  };
  return {
    port,
    directory,
    url: `redis://127.0.0.1:${port}/0`,
    get child() {
      return running.child;
    },
    admin,
    size: (now) =>
      admin(async (connection) => {
        const tables = await connection.keys('*:ends');
        const buckets = await connection.keys('*:full-at');
        const counts = await Promise.all([
          ...tables.map((table) => connection.zcount(table, `(${now}`, '+inf')),
          ...buckets.map((kind) => connection.zcount(kind, `(${now - BUCKETS_SINCE_MS}`, '+inf')),
        ]);
        return counts.reduce((sum, count) => sum + count, 0);
      }),
    stop: (signal) => running.stop(signal),
    restart: async () => {
      running = await run(SERVER, args, port);
    },
    remove: async () => {
      await running.stop('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A balancer that gives each request to the next of these ports, as deploy/haproxy.cfg does. */
export async function startBalancer(
  ports: readonly number[],
  options: { readonly port?: number; readonly check?: string } = {},
): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), 'haproxy-test-'));
  const port = options.port ?? (await freePort());
  const check = options.check ? ' check inter 200ms fall 1 rise 1' : '';
  const config = [
    'global\n  maxconn 2000\n  tune.bufsize 65536',
    'defaults\n  mode http\n  timeout connect 2s\n  timeout client 5m\n  timeout server 5m',
    ...[
      '  option http-server-close',
      '  option abortonclose',
      '  retries 2',
      '  option redispatch',
    ],
    ...['  retry-on conn-failure', `frontend in\n  bind 127.0.0.1:${port}`],
    ...['  option forwardfor', '  default_backend replicas', 'backend replicas'],
    '  balance roundrobin',
    ...(options.check ? [`  option httpchk GET ${options.check}`] : []),
    ...ports.map((at, index) => `  server replica${index} 127.0.0.1:${at}${check}`),
    '',
  ].join('\n');
  const path = join(directory, 'haproxy.cfg');
  writeFileSync(path, config);
  const running = await run('haproxy', ['-db', '-f', path], port);
  return {
    ...running,
    stop: async (signal) => {
      await running.stop(signal);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Resolves once the program listens. */
export async function run(
  program: string,
  args: readonly string[],
  port: number,
): Promise<Running> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const exited = once(child, 'exit');
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    port,
    child,
    stop: async (signal = 'SIGTERM') => {
      child.kill('SIGCONT');
      child.kill(signal);
      await exited;
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
