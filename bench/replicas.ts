/**
 * What a shared store costs, and what a second replica does, in one run.
 *
 *   npm run bench:replicas
 *
 * Needs redis-server or valkey-server. CPU is that of the gateways alone, per call; two replicas take
 * turns behind no balancer, whose CPU would be another program's. `docs/benchmarks.md` keeps the table.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '../test/support/gateway/gateway.ts';
import { freePort } from '../test/support/programs/free-port.ts';
import { SEAL_KEY } from '../test/support/replicas/mode.ts';
import { startRedis } from '../test/support/replicas/programs.ts';
import {
  best,
  type Child,
  cpuInTurns,
  median,
  ratioOf,
  startChild,
  toolCall,
} from './support/measure.ts';

const ENTRY = new URL('../dist/bin/gateway.js', import.meta.url).pathname;
const SIGN_INS = 50;

const directory = mkdtempSync(join(tmpdir(), 'bench-replicas-'));
const redis = await startRedis();
const config = join(directory, 'config.yaml');
writeFileSync(config, JSON.stringify({ users: [{ name: 'bench', password: 'benchmark' }] }));

const shared = { GATEWAY_STORE: redis.url, GATEWAY_SEAL_KEY: SEAL_KEY };
const memory = await start({});
const [one, two] = [await start(shared), await start(shared)];
const inMemory = await signIn(memory.url, 'bench', 'benchmark');
const usedBefore = await usedBytes();
const inStore = await signIn(one.url, 'bench', 'benchmark');
for (let others = 0; others < SIGN_INS; others++) await signIn(one.url, 'bench', 'benchmark');
const perSignIn = ((await usedBytes()) - usedBefore) / (SIGN_INS + 1);

const list = (token: string) => toolCall('list_targets', {}, token);
const {
  memory: alone,
  single,
  first,
  second,
} = await cpuInTurns({
  memory: [memory, list(inMemory.accessToken)],
  single: [one, list(inStore.accessToken)],
  first: [one, list(inStore.accessToken)],
  second: [two, list(inStore.accessToken)],
});
const both = first.map((us, turn) => (us + second[turn]!) / 2);
row('list_targets, in memory', `${best(alone).toFixed(1)} µs`, '');
row(
  'list_targets, with a store',
  `${best(single).toFixed(1)} µs, ${ratioOf(single, alone).toFixed(2)} of memory`,
  'at most 1.15 of memory',
);
row(
  'list_targets, two replicas',
  `${best(both).toFixed(1)} µs, ${ratioOf(both, single).toFixed(2)} of one`,
  'at most 1.1 of one',
);
row('calls per second and core', String(Math.round(1_000_000 / median(single))), '');
row('memory of the store per sign-in', `${(perSignIn / 1_024).toFixed(1)} KiB`, '');

for (const child of [memory, one, two]) await child.stop();
await redis.remove();
rmSync(directory, { recursive: true, force: true });

async function start(env: Record<string, string>): Promise<Child> {
  const port = await freePort();
  return startChild([ENTRY], {
    GATEWAY_CONFIG: config,
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...env,
  });
}

function usedBytes(): Promise<number> {
  return redis.admin(async (connection) =>
    Number(/used_memory:(\d+)/.exec(await connection.info('memory'))![1]),
  );
}

function row(what: string, measured: string, goal: string): void {
  console.log(`| ${what} | ${measured} | ${goal} |`);
}
