/**
 * What the notes server does on a vault of the size given, as a client sees it: over MCP and HTTP.
 *
 *   npm run bench:notes [notes]
 *
 * Searches are compared with two peers on the same vault in the same run. The vault is generated,
 * with words, links and sizes as in real ones.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '../test/support/gateway/gateway.ts';
import { randomFrom, writeVault, zipfWord } from '../test/support/notes/vault-generator.ts';
import { freePort } from '../test/support/programs/free-port.ts';
import {
  type Child,
  Load,
  percentile,
  startChild,
  ToolClient,
  toolCall,
} from './support/measure.ts';
import { type SearchPeer, startMcpvault, startQmd } from './support/notes-peers.ts';

const NOTES = Number(process.argv[2] ?? 10_000);
const PEERS = new URL('support/peers.ts', import.meta.url).pathname;
const QUERIES = 300;
/** Until V8 has compiled what a search needs. */
const WARM_UP_ROUNDS = 3;
const PEER_QUERIES = 10;
const PASSWORD = 'only for this bench';
/** The threads of the index end after a minute without work; V8 gives their pages back later. */
const IDLE_MS = 90_000;
const WRITES = 200;
const SUSTAINED_SECONDS = 10;
const SUSTAINED_PER_SECOND = 100;

/** What a tool answers; every place here knows what it looks for. */
// biome-ignore lint/suspicious/noExplicitAny: a bench looks into results freely.
type Json = Record<string, any>;

const data = mkdtempSync(join(tmpdir(), 'bench-notes-'));
const vault = join(data, 'default');
writeVault(vault, { notes: NOTES });
const random = randomFrom(7);
const queries = Array.from({ length: QUERIES }, () =>
  Array.from({ length: 1 + random.below(3) }, () => zipfWord(random)).join(' '),
);

try {
  console.log(`| ${NOTES.toLocaleString('en')} notes | measured | budget |\n|---|---|---|`);
  await measureIdle();
  await measureReading();
  await measureWriting();
} finally {
  rmSync(data, { recursive: true, force: true });
}

async function measureIdle(): Promise<void> {
  const first = await start({});
  await measureBuild(first.client);
  await delay(IDLE_MS);
  row('idle after that first build, resident', `${megabytes(first.child)} MB`, '');
  await first.child.stop();
  const later = await start({});
  await ready(later.client);
  await delay(IDLE_MS);
  row('idle, resident', `${megabytes(later.child)} MB`, 'under 120 MB with 10,000 notes');
  await later.child.stop();
}

async function measureReading(): Promise<void> {
  const { child, client } = await start({});
  await ready(client);
  const search = (query: string) => succeed(client, 'note_search', { query });
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await timed(queries, search);
  const ours = await timed(queries, search);
  row('search, warm', shown(ours), 'p50 3 ms, p95 15 ms; p50 10 ms at 100,000');
  const least = await timed(queries, () => succeed(client, 'vault_list', {}));
  row('of it what any call takes', shown(least), '');
  row('a bare node:http echo takes', shown(await bareEcho()), '');
  const listed = await succeed(client, 'note_list', { limit: 100 });
  const paths: string[] = listed.items.map(({ path }: Json) => path);
  const links = await timed(paths, (path) => succeed(client, 'note_links', { path }));
  row('backlinks', shown(links), '10 ms at 10,000');
  const unchanged = await timed(paths, () => succeed(client, 'vault_stats', {}));
  row('vault_stats', shown(unchanged), '10 ms at 10,000');
  const stats = await timed(paths.slice(0, 20), async (path, pause) => {
    const edit = { path, mode: 'append_to_note', content: 'one more line' };
    await pause(() => succeed(client, 'note_section_edit', edit));
    await succeed(client, 'vault_stats', {});
  });
  row('vault_stats, counted anew after each of 20 writes', shown(stats), '');
  row('after all of it, resident', `${megabytes(child)} MB`, 'under 300 MB with 100,000 notes');
  await child.stop();

  for (const startPeer of [startMcpvault, startQmd]) await compare(startPeer, ours);
}

/** What the machine and the client take of any call. */
async function bareEcho(): Promise<number[]> {
  const echo = await startChild([PEERS, 'echo']);
  const load = new Load(echo.url, toolCall('note_search', { query: queries[0]! }, ''), 1);
  await timed(queries, () => load.one());
  const taken = await timed(queries, () => load.one());
  await load.close();
  await echo.stop();
  return taken;
}

async function compare(
  startPeer: (vault: string) => Promise<SearchPeer>,
  ours: readonly number[],
): Promise<void> {
  let peer: SearchPeer;
  try {
    peer = await startPeer(vault);
  } catch (error) {
    row(`a peer could not be started`, (error as Error).message.split('\n')[0]!, '');
    return;
  }
  await peer.search(queries[0]!);
  const theirs = await timed(queries.slice(0, PEER_QUERIES), (query) => peer.search(query));
  const ratio = percentile(theirs, 0.5) / percentile(ours, 0.5);
  const budget = peer.name.includes('mcpvault') ? 'at least 50 of ours' : '';
  row(`search, ${peer.name}`, `${shown(theirs)}; ${ratio.toFixed(1)} of ours`, budget);
  await peer.close();
}

async function ready(client: ToolClient): Promise<void> {
  while ((await succeed(client, 'vault_stats', {})).index.state !== 'ready') await delay(100);
}

/** From the first start, with no index there. */
async function measureBuild(client: ToolClient): Promise<void> {
  const began = performance.now();
  let slowest = 0;
  for (;;) {
    const asked = performance.now();
    const { index } = await succeed(client, 'vault_stats', {});
    slowest = Math.max(slowest, performance.now() - asked);
    if (index.state === 'ready') break;
    await delay(100);
  }
  const rate = Math.round((NOTES * 1000) / (performance.now() - began));
  row('index from nothing', `${rate.toLocaleString('en')} notes/s`, '3,000 notes/s');
  row('slowest answer of /mcp meanwhile', `${slowest.toFixed(0)} ms`, 'answers meanwhile');
}

async function measureWriting(): Promise<void> {
  const { child, client } = await start({ NOTES_GIT: 'true' });
  await ready(client);
  const write = (path: string) =>
    succeed(client, 'note_section_edit', {
      path,
      mode: 'append_to_note',
      content: 'a line',
    });
  const paths = Array.from({ length: WRITES }, (_, at) => `bench/${at}.md`);
  for (const path of paths) await succeed(client, 'note_create', { path, content: '# Bench\n' });
  row('a write, git on, to its answer', shown(await timed(paths, write)), 'p50 20 ms');

  const total = SUSTAINED_SECONDS * SUSTAINED_PER_SECOND;
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  while (running.length < total) {
    const due = ((performance.now() - began) * SUSTAINED_PER_SECOND) / 1000;
    while (running.length < Math.min(total, due))
      running.push(write(paths[running.length % WRITES]!));
    await delay(2);
  }
  await Promise.all(running);
  const rate = (total * 1000) / (performance.now() - began);
  row(
    'writes sustained, git on',
    `${rate.toFixed(0)} a second for ${SUSTAINED_SECONDS} s`,
    '100 a second',
  );
  const answered = performance.now();
  for (;;) {
    const { git } = await succeed(client, 'vault_stats', {});
    if (git.pending === 0) break;
    await delay(20);
  }
  const behind = performance.now() - answered;
  row('the last commit after the last answer', `${behind.toFixed(0)} ms`, 'within two seconds');
  await child.stop();
}

async function start(env: Record<string, string>): Promise<{ child: Child; client: ToolClient }> {
  const port = await freePort();
  const entry = new URL('../dist/bin/notes.js', import.meta.url).pathname;
  const child = await startChild([entry], {
    NOTES_LISTEN: `127.0.0.1:${port}`,
    NOTES_PUBLIC_URL: `http://127.0.0.1:${port}`,
    NOTES_DATA: data,
    NOTES_USERNAME: 'bench',
    NOTES_PASSWORD: PASSWORD,
    ...env,
  });
  const { accessToken } = await signIn(child.url, 'bench', PASSWORD);
  return { child, client: new ToolClient(child.url, accessToken) };
}

async function succeed(client: ToolClient, tool: string, args: object): Promise<Json> {
  return (await client.call(tool, args)) as Json;
}

/** Milliseconds of each, sorted; what runs in `pause` does not count. */
async function timed<Item>(
  items: readonly Item[],
  work: (item: Item, pause: (rest: () => Promise<unknown>) => Promise<void>) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) {
    let paused = 0;
    const began = performance.now();
    await work(item, async (rest) => {
      const from = performance.now();
      await rest();
      paused += performance.now() - from;
    });
    times.push(performance.now() - began - paused);
  }
  return times.sort((a, b) => a - b);
}

function shown(sorted: readonly number[]): string {
  const at = (share: number) => percentile(sorted, share).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}

function megabytes(child: Child): number {
  return Math.round(child.residentBytes() / 1e6);
}

function row(what: string, measured: string, budget: string): void {
  console.log(`| ${what} | ${measured} | ${budget} |`);
}
