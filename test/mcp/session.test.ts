/** How sessions of the legacy protocol begin and end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { areReplicas } from '../support/replicas/mode.ts';
import { type Harness, startHarness } from './harness.ts';
import { all, initialize, items, open, rpc, send } from './wire.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

let harness: Harness;
let url: string;
let clock = 0;
before(async () => {
  harness = await startHarness({ now: () => clock });
  url = harness.url;
});
after(() => harness.close());

async function isAlive(session: Record<string, string>): Promise<boolean> {
  const { status } = await send(url, rpc('ping'), { headers: session });
  assert.ok(status === 200 || status === 404);
  return status === 200;
}

test('DELETE ends the session with 204, and it is 404 from then on', async () => {
  const session = await initialize(url);
  const ended = await send(url, undefined, { method: 'DELETE', headers: session });
  assert.equal(ended.status, 204);
  for (const [method, body] of [
    ['POST', rpc('ping')],
    ['POST', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['POST', [rpc('ping')]],
    ['GET', undefined],
    ['DELETE', undefined],
  ] as const) {
    const { status, json } = await send(url, body, { method, headers: session });
    assert.equal(status, 404);
    assert.equal(json.error.code, -32001);
  }
});

test('DELETE without a session id is a bad request', async () => {
  const { status, json } = await send(url, undefined, { method: 'DELETE' });
  assert.equal(status, 400);
  assert.equal(json.error.code, -32600);
});

test('DELETE closes the streams of the session', async () => {
  const session = await initialize(url);
  const { incoming } = await open(url, undefined, { method: 'GET', headers: session });
  await send(url, undefined, { method: 'DELETE', headers: session });
  await all(items(incoming));
});

test('initialize ignores a session id from before', async () => {
  const session = await initialize(url, { 'mcp-session-id': 'gone' });
  assert.equal(await isAlive(session), true);
});

test('a refreshed token keeps the session', async () => {
  const session = await initialize(url);
  assert.equal(await isAlive({ ...session, authorization: 'Bearer alice-refreshed' }), true);
});

test('a session ends after an hour without use', async () => {
  const session = await initialize(url);
  clock += HOUR_MS;
  assert.equal(await isAlive(session), true);
  clock += HOUR_MS;
  assert.equal(await isAlive(session), true);
  clock += HOUR_MS + (areReplicas ? MINUTE_MS : 0) + 1;
  assert.equal(await isAlive(session), false);
});

test('a session ends in its time though the clock was set back', async (context) => {
  const now = Date.now;
  let backMs = 0;
  context.mock.method(Date, 'now', () => now() - backMs);
  const own = await startHarness({ timings: { sessionIdleMs: 20 } });
  const headers = await initialize(own.url);
  backMs = HOUR_MS;
  await setTimeout(40);
  assert.equal((await send(own.url, rpc('ping'), { headers })).status, 404);
  await own.close();
});

test('an open stream keeps its session', async () => {
  const session = await initialize(url);
  const { incoming } = await open(url, undefined, { method: 'GET', headers: session });
  const stream = items(incoming);
  for (let halves = 0; halves < 4; halves++) {
    clock += HOUR_MS / 2;
    // The stream is judged before every message, and at every beat, for which no test waits.
    harness.endpoint.toolsChanged('alice');
    for (let item = await stream.next(); !('message' in item.value!); item = await stream.next());
  }
  assert.equal(await isAlive(session), true);
  incoming.destroy();
});

test('a user who opens too many sessions loses their own oldest and nobody else does', async () => {
  const bob = { authorization: 'Bearer bob-token' };
  const bobs = { ...bob, ...(await initialize(url, bob)) };
  const first = await initialize(url);
  for (let opened = 0; opened < 64; opened++) {
    clock += 1;
    await initialize(url);
  }
  assert.equal(await isAlive(first), false);
  assert.equal(await isAlive(bobs), true);
});

test('removing a user ends their sessions and streams', async () => {
  const bob = { authorization: 'Bearer bob-token' };
  const bobs = { ...bob, ...(await initialize(url, bob)) };
  const alices = await initialize(url);
  const streams = await Promise.all(
    [bobs, bob].map((headers) => open(url, undefined, { method: 'GET', headers })),
  );
  harness.endpoint.endUser('bob');
  for (const { incoming } of streams) await all(items(incoming));
  assert.equal(await isAlive(bobs), false);
  assert.equal(await isAlive(alices), true);
});
