/**
 * What the decoys cost, side by side with bare `node:http` in one run.
 *
 *   node bench/decoys.ts
 *
 * Each server runs in its own process and reports its own CPU time, so that the load does not
 * count. The two of a pair are warm at the same time and asked in turns, many short ones, in several
 * pairs of fresh processes, and the best turn of each is taken: what else the machine does, and
 * how well a process happened to be compiled, disturbs the least. The event lines go
 * to a real file.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseMemory } from '../src/core/garbage.ts';
import { createLog } from '../src/core/log/log.ts';
import { Secret } from '../src/core/secrets/secret.ts';
import { gatheredLines } from '../src/decoys/gathered-lines.ts';
import { createDecoyServer } from '../src/decoys/routes.ts';
import { serve } from '../src/gateway/serve.ts';
import { signIn } from '../test/support/gateway/gateway.ts';
import { freePort } from '../test/support/programs/free-port.ts';
import { type Call, Load, median, toolCall } from './support/measure.ts';

const KEY = 'a key for the bench alone';
const PAIRS = 3;
const TURNS = 10;
const WARM_UP = 20_000;
const REQUESTS = 4_000;
const ADDRESSES = 1_000_000;
const FEW_ADDRESSES = 10_000;
const EVENTS = 400_000;

interface Case {
  readonly name: string;
  readonly path: string;
  readonly atLeast: number;
}

const CASES: readonly Case[] = [
  { name: 'matches nothing', path: '/index.php', atLeast: 0.85 },
  { name: 'decoy without token', path: '/v1/models', atLeast: 0.7 },
  { name: 'decoy with tokens', path: '/.mcp/mcp.json', atLeast: 0.6 },
];

const [, , role, argument] = process.argv;
switch (role) {
  case undefined:
    await compare();
    break;
  case 'bare':
    await serveBare(JSON.parse(argument!));
    break;
  case 'decoys':
    await serveDecoys();
    break;
  case 'gateways':
    await serveGateways(JSON.parse(argument!));
    break;
  case 'addresses':
    await measureAddresses();
    break;
  case 'events':
    await measureEvents();
    break;
}

async function compare(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'decoys-bench-'));
  for (const { name, path, atLeast } of CASES) {
    const sample = await sampleAnswer(directory, path);
    const turns = await inTurns(async () => [
      await start(directory, ['bare', JSON.stringify(sample)], get(path, sample.status)),
      await start(directory, ['decoys'], get(path, sample.status)),
    ]);
    const [bare, ours] = bestOf(turns);
    print(name, `${bare.toFixed(1)} µs bare, ${ours.toFixed(1)} µs ours`, bare / ours, atLeast);
  }
  await realCall(directory);
  for (const kind of ['addresses', 'events']) await run(directory, [kind]);
  rmSync(directory, { recursive: true, force: true });
}

/**
 * The cheapest call there is, to a gateway without and to one with decoys. Both run in one
 * process, since two processes differ by more than decoys cost, however alike they are, and what
 * counts is the median of the differences between neighbouring turns.
 */
async function realCall(directory: string): Promise<void> {
  const turns = await inTurns(async () => {
    const ports = [await freePort(), await freePort()] as const;
    const settings = ['', `decoys: {key: ${KEY}}`];
    const paths = ports.map((port, index) => {
      const path = join(directory, `gateway-${port}.yaml`);
      writeFileSync(path, gatewayConfig(port, settings[index]!));
      return path;
    });
    const both = await start(directory, ['gateways', JSON.stringify(paths)], get('/', 404));
    const one = async (port: number): Promise<Server> => ({
      ...both,
      port,
      request: await listTargets(port),
    });
    return [await one(ports[0]), await one(ports[1])];
  });
  const plain = median(turns.map(([plain]) => plain));
  const more = median(turns.map(([plain, mounted]) => mounted - plain));
  const figures = `${plain.toFixed(1)} µs, ${more.toFixed(2)} µs more with decoys`;
  const grown = (more / plain) * 100;
  const verdict = grown < 3 ? 'ok' : 'MISSED';
  console.log(
    `list_targets of the gateway: ${figures}, ${grown.toFixed(1)} % (under 3 %: ${verdict})`,
  );
}

function print(name: string, figures: string, ratio: number, atLeast: number): void {
  const verdict = ratio >= atLeast ? 'ok' : 'MISSED';
  console.log(`${name}: ${figures}, ${ratio.toFixed(2)} of bare (at least ${atLeast}: ${verdict})`);
}

function get(path: string, status: number): Call {
  const headers = {
    'user-agent': 'Mozilla/5.0 (compatible; scan/1.0)',
    accept: '*/*',
    'accept-encoding': 'gzip',
  };
  return { path, headers, status };
}

/** `list_targets` with a bearer token, as a model's client sends it. */
async function listTargets(port: number): Promise<Call> {
  const { accessToken } = await signIn(`http://127.0.0.1:${port}`, 'bench', 'benchmark');
  return toolCall('list_targets', {}, accessToken);
}

interface Sample {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer of the decoys, for bare Node to give in the same size: its headers and its body. */
async function sampleAnswer(directory: string, path: string): Promise<Sample> {
  const server = await start(directory, ['decoys'], get(path, 200));
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  const body = await response.text();
  await server.stop();
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'connection', 'keep-alive']) delete headers[name];
  return { status: response.status, headers, body };
}

interface Server {
  readonly port: number;
  /** What it is asked. */
  readonly request: Call;
  cpuUs(): number | Promise<number>;
  stop(): Promise<void>;
}

type Pair = readonly [Server, Server];

async function start(directory: string, args: readonly string[], request: Call): Promise<Server> {
  const output = openSync(join(directory, `${args[0]}.log`), 'a');
  const child = fork(import.meta.filename, [...args], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    request,
    cpuUs: () => cpuOf(child),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function gatewayConfig(port: number, setting: string): string {
  return `
server:
  listen: 127.0.0.1:${port}
  public_url: http://127.0.0.1:${port}
  ${setting}
users:
  - name: bench
    password: benchmark
    targets:
      - {id: api, description: The benchmark's upstream., base_url: "https://api.example"}
`;
}

/** Microseconds of CPU per request for each of two servers, turn by turn. */
async function inTurns(startPair: () => Promise<Pair>): Promise<[number, number][]> {
  const turns: [number, number][] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const servers = await startPair();
    const loads = servers.map(({ port, request }) => new Load(`http://127.0.0.1:${port}`, request));
    for (const load of loads) await load.saturate(WARM_UP);
    for (let turn = 0; turn < TURNS; turn++) {
      turns.push([
        await cpuPerRequest(servers[0], loads[0]!),
        await cpuPerRequest(servers[1], loads[1]!),
      ]);
    }
    for (const load of loads) await load.close();
    for (const server of servers) await server.stop();
  }
  return turns;
}

async function cpuPerRequest({ cpuUs }: Server, load: Load): Promise<number> {
  const before = await cpuUs();
  await load.saturate(REQUESTS);
  return ((await cpuUs()) - before) / REQUESTS;
}

/** The best turn of each. */
function bestOf(turns: readonly [number, number][]): [number, number] {
  return [Math.min(...turns.map(([one]) => one)), Math.min(...turns.map(([, other]) => other))];
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

async function run(directory: string, args: string[]): Promise<void> {
  const file = join(directory, `${args[0]}.log`);
  const output = openSync(file, 'a');
  const child = fork(import.meta.filename, args, {
    stdio: ['ignore', output, 'inherit', 'ipc'],
    execArgv: ['--expose-gc'],
  });
  child.on('message', (text) => console.log(text));
  await once(child, 'exit');
  if (args[0] !== 'events') return;
  const lines = readFileSync(file, 'utf8').split('\n').length - 1;
  console.log(`  of ${EVENTS} events ${lines} lines were written`);
}

function listening(port: number): void {
  process.send?.(port);
  process.on('message', () => process.send?.(process.cpuUsage()));
}

async function serveBare({ status, headers, body }: Sample): Promise<void> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  listening((server.address() as AddressInfo).port);
}

async function serveDecoys(): Promise<void> {
  const log = createLog({ level: 'info', write: gatheredLines(1) });
  const server = createDecoyServer({ key: new Secret('decoys key', KEY), log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  listening((server.address() as AddressInfo).port);
}

async function serveGateways(paths: readonly string[]): Promise<void> {
  for (const path of paths) void serve({ GATEWAY_CONFIG: path });
  for (const path of paths) await answering(Number(/gateway-(\d+)/.exec(path)![1]));
  listening(0);
}

async function answering(port: number): Promise<void> {
  while (!(await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** As many sources as anyone will ever see, each asking for a file with tokens. */
async function measureAddresses(): Promise<void> {
  const { Decoys } = await import('../src/decoys/decoys.ts');
  const { Events } = await import('../src/decoys/events.ts');
  const { clientOf } = await import('../src/core/http/client-address.ts');
  const decoys = new Decoys({ key: new Secret('decoys key', KEY), site: 'decoys' });
  const log = createLog({ level: 'info', write: () => {} });
  const events = new Events({ log, site: 'decoys', now: Date.now });
  const ask = (source: number) => {
    const peer = `${(source >> 24) & 255}.${(source >> 16) & 255}.${(source >> 8) & 255}.${source & 255}`;
    const client = clientOf(peer, undefined, undefined);
    const request = {
      method: 'GET',
      url: '/.mcp/mcp.json',
      headers: { 'user-agent': `scan/${source}` },
      rawHeaders: ['User-Agent', `scan/${source}`],
    } as never;
    const probe = {
      method: 'GET',
      path: '/.mcp/mcp.json',
      query: '',
      headers: {},
      client,
      day: 20_000,
    };
    const match = decoys.find(probe)!;
    events.hit(match.tag, request, client, match.answer(''), 0);
  };
  for (let source = 0; source < FEW_ADDRESSES; source++) ask(source);
  releaseMemory();
  const before = process.memoryUsage();
  for (let source = 0; source < ADDRESSES; source++) ask(source * 4_093);
  releaseMemory();
  const after = process.memoryUsage();
  const heap = ((after.heapUsed - before.heapUsed) / 1e6).toFixed(1);
  const rss = ((after.rss - before.rss) / 1e6).toFixed(1);
  process.send?.(
    `${ADDRESSES} source addresses, more than with ${FEW_ADDRESSES}: heap ${heap} MB, resident ${rss} MB (under 30)`,
  );
  process.disconnect?.();
}

/** In turns of a few hundred, as requests come in. */
async function measureEvents(): Promise<void> {
  const log = createLog({ level: 'info', write: gatheredLines(1) });
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  for (let index = 0; index < EVENTS; index++) {
    log.always('info', 'decoy_hit', {
      tag: 'ai-assistant-config',
      site: 'decoys',
      'source.ip': '203.0.113.7',
      'source.learnt_from': 'socket',
      'http.request.method': 'GET',
      'url.path': `/.mcp/${index}`,
      'user_agent.original': 'Mozilla/5.0 (compatible; scan/1.0)',
      header_order: '0123456789abcdef',
      'http.request.body.bytes': 0,
      'http.response.status_code': 200,
      'http.response.body.bytes': 700,
      honeytokens: 2,
    });
    if (index % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
  }
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedMs) / 1000;
  const perEvent = ((used.user + used.system) / EVENTS).toFixed(1);
  const rate = Math.round(EVENTS / seconds).toLocaleString('en');
  process.send?.(`events: ${rate} a second written, ${perEvent} µs of CPU each`);
  process.disconnect?.();
}
