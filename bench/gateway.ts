/**
 * What the gateway costs, side by side with the barest servers that do a part of its work.
 *
 *   npm run bench:gateway
 *
 * CPU is the server's own, per call, so the load does not count; servers take short turns, the
 * best turn of each is shown, and ratios are the median of neighbouring turns. Prints a table;
 * `docs/benchmarks.md` keeps it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '../test/support/gateway/gateway.ts';
import { freePort } from '../test/support/programs/free-port.ts';
import { measureRedactor } from './redactor.ts';
import { addedLatency } from './support/added-latency.ts';
import {
  best,
  type Call,
  type Child,
  cpuInTurns,
  Load,
  mcpCall,
  median,
  ratioOf,
  startChild,
  toolCall,
} from './support/measure.ts';
import type { ToolsOfGateway } from './support/sdk-peers.ts';

const STARTS = 7;
const SECRETS = 20;
const PEERS = new URL('support/peers.ts', import.meta.url).pathname;
const CHECKOUT = new URL('../bin/gateway.ts', import.meta.url).pathname;
const BUILT = new URL('../dist/bin/gateway.js', import.meta.url).pathname;
/** The least that can be started. */
const BARE = `const server = require('node:http').createServer((_, response) => response.end('ok'));
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ event: 'startup', port: server.address().port })));`;

const directory = mkdtempSync(join(tmpdir(), 'bench-'));
const upstream = await startChild([PEERS, 'upstream']);
const echo = await startChild([PEERS, 'echo']);
const forwarder = await startChild([PEERS, 'forwarder', upstream.url]);
const gateway = await startGateway(CHECKOUT);
const { accessToken } = await signIn(gateway.url, 'bench', 'benchmark');

const list = toolCall('list_targets', {}, accessToken);
const request = toolCall('http_request', { url: `${upstream.url}/data` }, accessToken);
const tools = JSON.stringify(await toolsOfGateway());
const sdk = await startChild([PEERS, 'sdk', tools]);
const leastSdk = await startChild([PEERS, 'sdk-least', tools]);
await toolCalls();
await forwarding();
await latency();
await endlessAnswers();
for (const [name, entry] of Object.entries({ 'built package': BUILT, checkout: CHECKOUT })) {
  await startTime(name, entry);
  await idleMemory(name, entry);
}
for (const each of measureRedactor()) row(...each);

for (const child of [gateway, sdk, leastSdk, forwarder, echo, upstream]) await child.stop();
rmSync(directory, { recursive: true, force: true });

async function toolsOfGateway(): Promise<ToolsOfGateway> {
  const { tools } = await resultOf(mcpCall('tools/list', {}, accessToken));
  const { structuredContent: targets } = await resultOf(list);
  return { accessToken, tools, targets };
}

async function resultOf(call: Call) {
  const load = new Load(gateway.url, call);
  const { result } = JSON.parse(await load.one());
  await load.close();
  return result;
}

async function toolCalls(): Promise<void> {
  const { bare, ours, official, least } = await cpuInTurns({
    bare: [echo, list],
    ours: [gateway, list],
    official: [sdk, list],
    least: [leastSdk, list],
  });
  row('list_targets, bare node:http echo', us(bare), '');
  row('list_targets, gateway', `${us(ours)}, ${ratio(ours, bare)} of bare`, 'at most 1.5 of bare');
  const beside = (turns: readonly number[]) =>
    `${us(turns)}, ${ratio(turns, ours)} of ours, ${ratio(turns, bare)} of bare`;
  row('list_targets, official SDK as its guides say', beside(official), 'at least 8 of ours');
  row('list_targets, official SDK with no sign-in, schemas made once', beside(least), '');
}

async function forwarding(): Promise<void> {
  const { bare, ours } = await cpuInTurns({ bare: [forwarder, request], ours: [gateway, request] });
  row('http_request, bare node:http + undici', us(bare), '');
  row(
    `http_request, gateway, ${SECRETS} secrets`,
    `${us(ours)}, ${ratio(ours, bare)} of bare`,
    'at most 1.9 of bare',
  );
}

async function latency(): Promise<void> {
  const rows = await addedLatency({
    gateway: [gateway.url, request],
    forwarder: [forwarder.url, request],
    upstream: [upstream.url, { path: '/data', headers: {} }],
  });
  for (const each of rows) row(...each);
}

async function endlessAnswers(): Promise<void> {
  const fresh = await startGateway(CHECKOUT);
  const { accessToken } = await signIn(fresh.url, 'bench', 'benchmark');
  const call = toolCall('http_request', { url: `${upstream.url}/endless` }, accessToken);
  const load = new Load(fresh.url, call, 50);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, fresh.residentBytes());
  }, 20);
  for (let round = 0; round < 3; round++) await load.saturate(50, 50);
  clearInterval(watch);
  await load.close();
  await fresh.stop();
  row('50 endless answers at once, peak resident', megabytes(peak), 'under 300 MB');
}

/** From the second start on: the first fills the cache of compiled code. */
async function startTime(name: string, entry: string): Promise<void> {
  const starts = { ours: () => startGateway(entry), bare: () => startChild(['--eval', BARE]) };
  const times: Record<keyof typeof starts, number[]> = { ours: [], bare: [] };
  for (let round = 0; round <= STARTS; round++) {
    for (const server of ['ours', 'bare'] as const) {
      const begunAt = performance.now();
      const child = await starts[server]();
      await (await fetch(`${child.url}/healthz`)).text();
      if (round > 0) times[server].push(performance.now() - begunAt);
      await child.stop();
    }
  }
  const taken = (server: keyof typeof starts) =>
    `${best(times[server]).toFixed(0)} / ${median(times[server]).toFixed(0)} ms`;
  const figure = `${taken('ours')}, bare node:http ${taken('bare')} (best / median)`;
  row(`start to /healthz, ${name}`, figure, 'under 400 ms');
}

async function idleMemory(name: string, entry: string): Promise<void> {
  const child = await startGateway(entry);
  await (await fetch(`${child.url}/healthz`)).text();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  row(`idle, resident, ${name}`, megabytes(child.residentBytes()), 'under 95 MB');
  await child.stop();
}

async function startGateway(entry: string): Promise<Child> {
  const port = await freePort();
  const path = join(directory, `config-${port}.yaml`);
  writeFileSync(path, config(port));
  return startChild([entry], { GATEWAY_CONFIG: path });
}

function config(port: number): string {
  const secrets = Array.from(
    { length: SECRETS },
    (_, i) => `      key_${i}: "sk-live-${i}-q8Zt3v${i}Lm0Xw7Rb2"`,
  );
  return `
server:
  listen: 127.0.0.1:${port}
  public_url: http://127.0.0.1:${port}
  allow_networks: [127.0.0.0/8]
users:
  - name: bench
    password: benchmark
    secrets:
${secrets.join('\n')}
    targets:
      - id: api
        description: The benchmark's upstream.
        base_url: ${upstream.url}
        inject:
          headers: {Authorization: "Bearer \${key_0}"}
`;
}

function row(what: string, figure: string, budget: string): void {
  console.log(`| ${what} | ${figure} | ${budget} |`);
}

function us(turns: readonly number[]): string {
  return `${best(turns).toFixed(0)} µs`;
}

function ratio(one: readonly number[], other: readonly number[]): string {
  return ratioOf(one, other).toFixed(2);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
