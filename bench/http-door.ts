/**
 * What the HTTP door costs, beside a bare streaming forwarder (`node:http` and undici) in the same run.
 * Memory is that of the built package.
 *
 *   npm run bench:http-door
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn } from '../test/support/gateway/gateway.ts';
import { freePort } from '../test/support/programs/free-port.ts';
import { addedLatency } from './support/added-latency.ts';
import {
  best,
  type Call,
  type Child,
  cpuInTurns,
  ratioOf,
  startChild,
  toolCall,
} from './support/measure.ts';

const PEERS = new URL('support/peers.ts', import.meta.url).pathname;
const CHECKOUT = new URL('../bin/gateway.ts', import.meta.url).pathname;
const BUILT = new URL('../dist/bin/gateway.js', import.meta.url).pathname;
const PASSWORD = 'a benchmark password';
const KEY = 'gh_key-of-the-benchmark-0000000000000000';
const SECRETS = 20;
const IDLE_STREAMS = 1_000;
const ROUNDS = 3;

const directory = mkdtempSync(join(tmpdir(), 'bench-door-'));
const upstream = await startChild([PEERS, 'upstream']);
const streamer = await startChild([PEERS, 'streamer', upstream.url]);
const gateway = await startGateway(CHECKOUT);
const headers = { authorization: `Bearer ${KEY}` };
const door: Call = { path: '/via/upstream/data', headers };
const bare: Call = { path: '/data', headers: {} };

const { accessToken } = await signIn(gateway.url, 'bench', PASSWORD);
const overMcp = toolCall('http_request', { url: `${upstream.url}/data` }, accessToken);

const cpu = await cpuInTurns({
  bare: [streamer, bare],
  ours: [gateway, door],
  mcp: [gateway, overMcp],
});
row('CPU per request, 1 KiB: bare streaming forwarder', `${best(cpu.bare).toFixed(0)} µs`, '');
row('the door, relative to it', ratioOf(cpu.ours, cpu.bare).toFixed(2), 'at most 1.6');
row('http_request over MCP, relative to it', ratioOf(cpu.mcp, cpu.bare).toFixed(2), '');
const rows = await addedLatency({
  gateway: [gateway.url, door],
  forwarder: [streamer.url, bare],
  upstream: [upstream.url, bare],
});
for (const each of rows) row(...each);
for (const measure of [gibibyte, idleStreams]) {
  const fresh = await startGateway(BUILT);
  await measure(fresh);
  await fresh.stop();
}

for (const child of [gateway, streamer, upstream]) await child.stop();
rmSync(directory, { recursive: true });

async function startGateway(entry: string): Promise<Child> {
  const config = join(directory, 'config.json');
  const secrets = Object.fromEntries(
    Array.from({ length: SECRETS }, (_, n) => [`s${n}`, `tok_${n}_Zk4eC39H+qLyjWD/arjtT1zdp${n}`]),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const target = { id: 'upstream', description: 'd', base_url: upstream.url };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: injection templates are written so
  const inject = { headers: { 'X-Key': '${s0}' } };
  const user = {
    ...{ name: 'bench', password: PASSWORD, secrets },
    targets: [{ ...target, max_response_bytes: 2 ** 40, inject }],
    keys: [{ name: 'bench', key: KEY }],
  };
  const server = { allow_networks: ['127.0.0.0/8'], trusted_proxies: ['127.0.0.0/8'] };
  writeFileSync(config, JSON.stringify({ server, users: [user] }));
  return startChild([entry], {
    GATEWAY_CONFIG: config,
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    GATEWAY_PUBLIC_URL: url,
  });
}

/** Rate of one large answer, and how much memory the gateway has meanwhile. */
async function gibibyte(gateway: Child): Promise<void> {
  const seconds: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  let peak = 0;
  for (let round = 0; round < ROUNDS; round++) {
    seconds.bare.push(await download(`${streamer.url}/gib`, {}));
    const watch = setInterval(() => {
      peak = Math.max(peak, gateway.residentBytes());
    }, 50);
    seconds.ours.push(await download(`${gateway.url}/via/upstream/gib`, headers));
    clearInterval(watch);
  }
  const rate = 1 / ratioOf(seconds.ours, seconds.bare);
  row('1 GiB: rate relative to the forwarder', rate.toFixed(2), 'at least 0.5');
  row('1 GiB: peak resident memory', mib(peak), 'under 150 MB');
}

async function download(url: string, headers: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const response = await open(url, headers);
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (bytes !== 1024 ** 3) throw new Error(`${bytes} bytes arrived`);
  return (performance.now() - startedAt) / 1_000;
}

async function idleStreams(gateway: Child): Promise<void> {
  const streams: IncomingMessage[] = [];
  for (let n = 0; n < IDLE_STREAMS; n++) {
    const response = await open(`${gateway.url}/via/upstream/events`, headers);
    await once(response, 'data');
    streams.push(response);
  }
  row(`${IDLE_STREAMS} idle event streams`, mib(gateway.residentBytes()), 'under 250 MB');
  for (const stream of streams) stream.destroy();
}

async function open(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const request = get(url, { headers, agent: false });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode} from ${url}`);
  return response;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function row(what: string, figure: string, budget: string): void {
  console.log(`| ${what} | ${figure} | ${budget} |`);
}
