/** `npm start` and `npm run demo` as a newcomer meets them: from nothing, and when something is wrong. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOf } from '../examples/quickstart/mcp-client.ts';
import { prepareData } from '../examples/quickstart/prepare-data.ts';
import { type Cleaner, cleaner } from './support/programs/cleaner.ts';
import { freePorts } from './support/programs/free-port.ts';
import { oldNode } from './support/programs/old-node.ts';
import { PATIENCE_MS } from './support/programs/patience.ts';

const START = new URL('../examples/quickstart/start.mjs', import.meta.url).pathname;
const OLD_NODE = oldNode();
const { PATH = '', NODE_COMPILE_CACHE } = process.env;
const KEPT = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };

interface Place {
  readonly env: Record<string, string>;
  readonly folder: string;
  readonly firstPort: number;
}

async function newPlace(context: Cleaner): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const firstPort = await freePorts(4);
  const env = { QUICKSTART_PORT: String(firstPort), QUICKSTART_DATA: join(folder, 'data') };
  return { env, folder: join(folder, 'data'), firstPort };
}

type Run = ReturnType<typeof launch>;

function launch(context: Cleaner, env: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [START, ...args], {
    env: { ...KEPT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const printed = (part: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => text.includes(part) && resolve();
      waiting.add(look);
      setTimeout(
        () => reject(new Error(`"${part}" was not printed: ${text}`)),
        PATIENCE_MS,
      ).unref();
      ended.then(() => reject(new Error(`it ended before "${part}" was printed: ${text}`)));
      look();
    });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => child.kill(signal);
  return { text: () => text, ended, printed, stop };
}

const suite = cleaner();
let place: Place;
/** What a newcomer starts, and starts again; the second goes on running. */
let first: Run;
let second: Run;
before(async () => {
  place = await newPlace(suite);
  first = launch(suite, place.env);
  await first.printed('Ctrl-C');
  first.stop();
  await first.ended;
  second = launch(suite, place.env);
  await second.printed('Ctrl-C');
});
after(() => suite.clean());

test('npm start prints what runs where; the password is in it the first time alone', async () => {
  const { folder, firstPort } = place;
  const password = readFileSync(join(folder, 'password'), 'utf8').trim();
  assert.ok(first.text().includes(password));
  for (const offset of [0, 1, 2, 3]) {
    assert.ok(first.text().includes(`http://127.0.0.1:${firstPort + offset}`), first.text());
  }
  for (const file of ['password', 'api.key', 'decoys.key', 'gateway.yaml']) {
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
  }
  assert.equal(await first.ended, 0);
  assert.ok(!second.text().includes(password));
});

test('a demo whose claim is not so ends with 1 and names the logs', async (context) => {
  const { env, folder } = place;
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/Bearer .+/, 'Bearer none'));
  const log = join(folder, 'logs/gateway.jsonl');
  const deadline = Date.now() + PATIENCE_MS;
  while (!readFileSync(log, 'utf8').includes('"config_reloaded"')) {
    assert.ok(Date.now() < deadline, 'the changed configuration was not read');
    await delay(50);
  }
  const demo = launch(context, env, ['demo']);
  assert.equal(await demo.ended, 1, demo.text());
  assert.match(demo.text(), /not so: the API accepted the key/);
  assert.ok(demo.text().endsWith(`; what the servers logged is in ${join(folder, 'logs')}\n`));
  assert.doesNotMatch(demo.text(), /^\s+at /m);
});

test('a terminal that is closed leaves no server behind', async () => {
  const urls = [0, 1, 2, 3].map((offset) => `http://127.0.0.1:${place.firstPort + offset}/healthz`);
  for (const url of urls) await fetch(url);
  second.stop('SIGHUP');
  await second.ended;
  for (const url of urls) await assert.rejects(fetch(url), `${url} is served`);
});

test('the demo shows every claim and ends with 0, starting the servers itself', async (context) => {
  const { env } = await newPlace(context);
  const demo = launch(context, env, ['demo']);
  assert.equal(await demo.ended, 0, demo.text());
  assert.match(demo.text(), /Bearer \[REDACTED\]/);
  assert.match(demo.text(), /"event":"honeytoken_used"/);
  assert.match(demo.text(), /Everything above was checked as it happened/);
});

test('a port that is taken is one line that names it', async (context) => {
  const { env, firstPort } = await newPlace(context);
  const other = createServer().listen(firstPort + 1, '127.0.0.1');
  await once(other, 'listening');
  context.after(() => other.close());
  const run = launch(context, env);
  assert.equal(await run.ended, 1);
  assert.match(run.text(), new RegExp(`^port ${firstPort + 1} is taken .+\n$`));
});

test('a data folder that cannot be written is one line that names it', async (context) => {
  const { env, folder } = await newPlace(context);
  writeFileSync(folder, 'a file, not a folder');
  const run = launch(context, env);
  assert.equal(await run.ended, 1);
  assert.match(run.text(), /^the folder .+ cannot be written; .+\n$/);
});

test('a configuration that was broken by hand is one line that says where', async (context) => {
  const { env, folder, firstPort } = await newPlace(context);
  writeFileSync(prepareData(folder, firstPort).config, 'users: 7\n');
  const run = launch(context, env);
  assert.equal(await run.ended, 1);
  assert.match(run.text(), /^gateway ended with code 1: .*users.+\n$/);
});

test('a Node that is too old is one line that says what to do', {
  skip: OLD_NODE === undefined && 'the machine has no older Node',
}, async () => {
  const child = spawn(OLD_NODE!, [START], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.match(text, /^Node \S+ is too old; npm ci brings Node 24.+\n$/);
});

test('the example client reads the answer of a call that took so long that it became an event stream', async () => {
  const answer = { result: { content: [{ type: 'text', text: 'a\ndata: b' }] } };
  const stream = `: open\n\n: keep-alive\n\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`;
  const headers = { 'content-type': 'text/event-stream' };
  assert.deepEqual(await answerOf(new Response(stream, { headers })), answer);
  assert.deepEqual(await answerOf(Response.json(answer)), answer);
});
