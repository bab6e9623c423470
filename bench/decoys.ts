/**
 * What the decoys cost, side by side with bare `node:http` in one run.
 *
 *   node bench/decoys.ts
 *
 * Each server runs in its own process and reports its own CPU time, so that the load does not
 * count. The two of a pair are warm at the same time and asked in turns, many short ones, and the
 * best turn of each is taken: what else the machine does disturbs the least. The event lines go
 * to a real file.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../src/core/log.ts';
import { createServer } from '../src/core/server.ts';
import { gatheredLines } from '../src/decoys/gathered-lines.ts';
import { mountDecoys } from '../src/decoys/mount.ts';
import { createDecoyServer } from '../src/decoys/routes.ts';
import { mountMcp } from '../src/mcp/endpoint.ts';
import { errorResult } from '../src/mcp/tool.ts';

const KEY = 'a key for the bench alone';
const TURNS = 24;
const WARM_UP = 20_000;
const REQUESTS = 4_000;
const CONNECTIONS = 16;
const ADDRESSES = 1_000_000;
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
  case 'real':
    await serveReal(argument === 'mounted');
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
    const bareArguments = ['bare', JSON.stringify(sample)];
    const [bare, ours] = await inTurns(directory, [bareArguments, ['decoys']], get(path));
    print(name, `${bare.toFixed(1)} µs bare, ${ours.toFixed(1)} µs ours`, bare / ours, atLeast);
  }
  const pair = [
    ['real', 'plain'],
    ['real', 'mounted'],
  ] as const;
  const [plain, mounted] = await inTurns(directory, pair, call());
  const more = (mounted - plain).toFixed(1);
  const grown = ((mounted / plain - 1) * 100).toFixed(1);
  console.log(
    `the smallest real call: ${plain.toFixed(1)} µs alone, ${more} µs more with decoys (${grown} %)`,
  );
  for (const kind of ['addresses', 'events']) await run(directory, [kind]);
  rmSync(directory, { recursive: true, force: true });
}

function print(name: string, figures: string, ratio: number, atLeast: number): void {
  const verdict = ratio >= atLeast ? 'ok' : 'MISSED';
  console.log(`${name}: ${figures}, ${ratio.toFixed(2)} of bare (at least ${atLeast}: ${verdict})`);
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: example.test\r\nUser-Agent: Mozilla/5.0 (compatible; scan/1.0)\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n\r\n`;
}

/** A small call of a real MCP route with a bearer token, as a model's client sends it. */
function call(): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: node\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer 7dXr1wPq0cJmK4vB9sZtYh3LgNfEoUaQ2iRxWkTeVyM\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

interface Sample {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer of the decoys, for bare Node to give in the same size: its headers and its body. */
async function sampleAnswer(directory: string, path: string): Promise<Sample> {
  const { child, port } = await start(directory, ['decoys']);
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const body = await response.text();
  child.kill();
  await once(child, 'exit');
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'connection', 'keep-alive']) delete headers[name];
  return { status: response.status, headers, body };
}

async function start(directory: string, args: readonly string[]) {
  const output = openSync(join(directory, `${args[0]}.log`), 'a');
  const child = fork(import.meta.filename, [...args], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

/** Microseconds of CPU per request for each of two servers. */
async function inTurns(
  directory: string,
  servers: readonly [readonly string[], readonly string[]],
  request: string,
): Promise<[number, number]> {
  const running = await Promise.all(servers.map((args) => start(directory, args)));
  for (const { port } of running) await load(port, request, WARM_UP);
  const best: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, { child, port }] of running.entries()) {
      const before = await cpuOf(child);
      await load(port, request, REQUESTS);
      const used = (await cpuOf(child)) - before;
      best[index as 0 | 1] = Math.min(best[index as 0 | 1], used / REQUESTS);
    }
  }
  for (const { child } of running) {
    child.kill();
    await once(child, 'exit');
  }
  return best;
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return usage.user + usage.system;
}

/** Every answer to one question has the same length, so bytes tell where an answer ends. */
async function load(port: number, request: string, count: number): Promise<void> {
  let left = count;
  const answerBytes = await answerLength(port, request);
  const lane = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      let received = 0;
      socket.on('error', reject).on('data', (chunk) => {
        received += chunk.length;
        if (received < answerBytes) return;
        received = 0;
        if (left-- > 0) {
          socket.write(request);
        } else {
          socket.destroy();
          resolve();
        }
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
}

/** The length of one whole answer, head and body. */
async function answerLength(port: number, request: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  const [first] = (await once(socket, 'data')) as [Buffer];
  const head = first.indexOf('\r\n\r\n') + 4;
  const length = /content-length: (\d+)/i.exec(first.toString('latin1'))?.[1] ?? '0';
  socket.destroy();
  return head + Number(length);
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
  const server = createDecoyServer({ key: KEY, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  listening((server.address() as AddressInfo).port);
}

async function serveReal(isMounted: boolean): Promise<void> {
  const log = createLog({ level: 'error' });
  const app = createServer({ log });
  if (isMounted) mountDecoys(app, { key: KEY, site: 'gateway', log });
  mountMcp(app, {
    publicUrl: 'http://127.0.0.1:2019',
    serverInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
    instructions: () => '',
    tools: [],
    authenticate: async () => ({ user: 'bench', clientId: 'bench' }),
    invalidArguments: (message) => errorResult({ message }),
    allowedOrigins: () => [],
    log,
  });
  listening(Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port));
}

/** As many sources as anyone will ever see, each asking for a file with tokens. */
async function measureAddresses(): Promise<void> {
  const { Decoys } = await import('../src/decoys/decoys.ts');
  const { Events } = await import('../src/decoys/events.ts');
  const { clientOf } = await import('../src/decoys/client.ts');
  const decoys = new Decoys({ key: KEY, site: 'decoys' });
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
  for (let source = 0; source < 300_000; source++) ask(source);
  globalThis.gc?.();
  const before = process.memoryUsage();
  for (let source = 0; source < ADDRESSES; source++) ask(source * 4_093);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const heap = ((after.heapUsed - before.heapUsed) / 1e6).toFixed(1);
  const rss = ((after.rss - before.rss) / 1e6).toFixed(1);
  process.send?.(`${ADDRESSES} source addresses: heap ${heap} MB, resident ${rss} MB more`);
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
