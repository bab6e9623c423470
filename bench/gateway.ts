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
import { freePort, signIn } from '../test/support/gateway.ts';
import { measureRedactor } from './redactor.ts';
import {
  type Call,
  type Child,
  cpuInTurns,
  Load,
  mcpCall,
  median,
  percentile,
  ratioOf,
  startChild,
  toolCall,
  WARM_UP_CALLS,
} from './support/measure.ts';
import { PacedLoad, type Round } from './support/paced-load.ts';
import { pausesOfMachine } from './support/pauses.ts';
import type { ToolsOfGateway } from './support/sdk-peers.ts';

const STARTS = 7;
const LATENCY_TURNS = 2;
const TURN_ROUNDS = 7;
const RATE_CALLS = 20_000;
/** The slowest hundredth of the calls of a round fits into so long. */
const MAX_STOLEN_MS = 20;
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
for (const [name, value, budget] of measureRedactor()) row(name, value, budget);

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
    'at most 2 of bare',
  );
}

/**
 * What a call takes longer than one straight to the upstream, through us and through the bare
 * forwarder: what the forwarder adds is the second hop and the machine itself, where three
 * processes share the processors. The three take turns at half of what we can do, which is measured
 * anew for each turn: on a machine that has become slower meanwhile, half of what it could do
 * before may be all it can. The rounds of a turn have no pause between them: a server that was idle
 * for some seconds has lost its optimised code. Rounds in which the host gave the processors to
 * another machine are left out, where there are others. The best rounds are compared with one
 * another, and so are the medians of the rounds.
 */
async function latency(): Promise<void> {
  row('pauses of the machine over 1 ms, before the latency', await pausesOfMachine(), '');
  const loads = {
    ours: new PacedLoad(gateway.url, request),
    direct: new PacedLoad(upstream.url, { path: '/data', headers: {} }),
    bare: new PacedLoad(forwarder.url, request),
  };
  const rates: number[] = [];
  const rounds = { direct: [], bare: [], ours: [] } as Record<keyof typeof loads, Round[]>;
  for (let turn = 0; turn < LATENCY_TURNS; turn++) {
    for (const [name, load] of Object.entries(loads)) {
      await load.saturate(WARM_UP_CALLS);
      if (load === loads.ours) rates.push((await load.saturate(RATE_CALLS)) / 2);
      rounds[name as keyof typeof loads].push(...(await load.atRate(rates.at(-1)!, TURN_ROUNDS)));
    }
  }
  for (const load of Object.values(loads)) load.close();
  row('pauses of the machine over 1 ms, after the latency', await pausesOfMachine(), '');
  const at = `at ${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)} calls/s`;
  for (const [name, share, budget] of [
    ['p50', 0.5, 'under 1 ms'],
    ['p99', 0.99, 'under 3 ms'],
  ] as const) {
    const taken = (name: keyof typeof loads) =>
      undisturbed(rounds[name]).map(({ latencies }) => percentile(latencies, share));
    const added = (server: 'bare' | 'ours') => {
      const ms = inBoth((of) => of(taken(server)) - of(taken('direct')));
      return `${ms} ms in ${taken(server).length} of ${rounds[server].length} rounds`;
    };
    const direct = `straight ${inBoth((of) => of(taken('direct')))} ms`;
    const figure = `${added('ours')}, bare forwarder ${added('bare')}, ${direct} (best / median)`;
    row(`added latency ${at}, ${name}`, figure, budget);
  }
}

function undisturbed(rounds: readonly Round[]): readonly Round[] {
  const own = rounds.filter(({ stolenMs }) => stolenMs <= MAX_STOLEN_MS);
  return own.length > 0 ? own : rounds;
}

function inBoth(figure: (of: (values: readonly number[]) => number) => number): string {
  return [best, median].map((of) => figure(of).toFixed(2)).join(' / ');
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
  row(`idle, resident, ${name}`, megabytes(child.residentBytes()), 'under 90 MB');
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

function best(values: readonly number[]): number {
  return Math.min(...values);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
