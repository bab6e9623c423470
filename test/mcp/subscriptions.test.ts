/** Changes of single resources, in both eras: who hears of them, of how many, and for how long. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Caller } from '../../src/core/http/caller.ts';
import type { ResourceProvider } from '../../src/mcp/provider.ts';
import { MAX_SUBSCRIPTIONS } from '../../src/mcp/subscriptions.ts';
import { type Harness, startHarness } from './harness.ts';
import { initialize, messages, modern, open, rpc, send } from './wire.ts';

const KNOWN = /^test:\/\/[a-z0-9]+$/;

let watching: Map<string, () => void>;
let harness: Harness;
let isGood: boolean;
beforeEach(async () => {
  watching = new Map();
  isGood = true;
  const resources: ResourceProvider<Caller> = {
    list: async () => ({ resources: [] }),
    templates: async () => [],
    read: async () => undefined,
    watch: (uri, changed) => {
      if (!KNOWN.test(uri)) return undefined;
      watching.set(uri, changed);
      return () => watching.delete(uri);
    },
  };
  harness = await startHarness({ resources, isAlive: async () => isGood });
});
afterEach(() => harness.close());

async function listen(resourceSubscriptions: unknown) {
  const { body, headers } = modern('subscriptions/listen', {
    notifications: { resourceSubscriptions },
  });
  const { incoming } = await open(harness.url, body, { headers });
  return { incoming, heard: messages(incoming) };
}

const next = async (heard: ReturnType<typeof messages>) => (await heard.next()).value;

test('a stream is told which resources it watches, then of each change', async () => {
  const { heard } = await listen(['test://a', 'test://b', 'test://a', 'elsewhere://c']);
  assert.deepEqual((await next(heard)).params.notifications, {
    resourceSubscriptions: ['test://a', 'test://b'],
  });
  watching.get('test://b')!();
  const { method, params } = await next(heard);
  assert.equal(method, 'notifications/resources/updated');
  assert.equal(params.uri, 'test://b');
  assert.equal(params._meta['io.modelcontextprotocol/subscriptionId'], 1);
});

test('a stream that asked for changes of resources hears of no other change', async () => {
  const { heard } = await listen(['test://a']);
  await next(heard);
  harness.endpoint.toolsChanged('alice');
  await new Promise(setImmediate);
  watching.get('test://a')!();
  assert.equal((await next(heard)).method, 'notifications/resources/updated');
});

test('nothing is watched after the stream was closed, ended, or lost its token', async () => {
  for (const end of [
    ({ incoming }: Awaited<ReturnType<typeof listen>>) => incoming.destroy(),
    () => harness.endpoint.endUser('alice'),
    () => {
      isGood = false;
      watching.get('test://a')!();
    },
  ]) {
    isGood = true;
    const stream = await listen(['test://a']);
    await next(stream.heard);
    assert.equal(watching.size, 1);
    end(stream);
    while (watching.size > 0) await new Promise(setImmediate);
  }
});

test('a request for what cannot be watched ends with its result', async () => {
  const { heard } = await listen(['elsewhere://c']);
  assert.deepEqual((await next(heard)).params.notifications, {});
  assert.equal((await next(heard)).result.resultType, 'complete');
});

test('the number and the form of the URIs are limited', async () => {
  const many = Array.from({ length: MAX_SUBSCRIPTIONS + 1 }, (_, at) => `test://${at}`);
  for (const wrong of ['test://a', [1], many]) {
    const { body, headers } = modern('subscriptions/listen', {
      notifications: { resourceSubscriptions: wrong },
    });
    const { json } = await send(harness.url, body, { headers });
    assert.equal(json.error.code, -32602, JSON.stringify(json));
  }
  const { heard } = await listen([`test://${'a'.repeat(5_000)}`]);
  assert.deepEqual((await next(heard)).params.notifications, {});
});

test('a session hears of its resources on its stream until it unsubscribes or ends', async () => {
  const headers = await initialize(harness.url);
  const call = async (method: string, params: object) =>
    (await send(harness.url, rpc(method, params), { headers })).json;
  const { incoming } = await open(harness.url, undefined, { method: 'GET', headers });
  const heard = messages(incoming);

  const [a, b] = [{ uri: 'test://a' }, { uri: 'test://b' }];
  for (const resource of [a, a, b]) {
    assert.deepEqual((await call('resources/subscribe', resource)).result, {});
  }
  watching.get(a.uri)!();
  assert.deepEqual(await next(heard), {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: a,
  });
  await call('resources/unsubscribe', a);
  assert.deepEqual([...watching.keys()], [b.uri]);
  await send(harness.url, undefined, { method: 'DELETE', headers });
  assert.equal(watching.size, 0);
});

test('a subscription needs a session, a URI and a resource', async () => {
  const headers = await initialize(harness.url);
  const codeOf = async (params: object, own = headers) =>
    (await send(harness.url, rpc('resources/subscribe', params), { headers: own })).json.error.code;
  assert.equal(await codeOf({ uri: 'test://a' }, {} as typeof headers), -32600);
  assert.equal(await codeOf({}), -32602);
  assert.equal(await codeOf({ uri: 'elsewhere://c' }), -32002);
});

test('a session has at most so many subscriptions', async () => {
  const headers = await initialize(harness.url);
  const batch = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) =>
      rpc('resources/subscribe', { uri: `test://${from + at}` }, from + at),
    );
  for (let from = 0; from < MAX_SUBSCRIPTIONS; from += 64) {
    await send(harness.url, batch(from, 64), { headers });
  }
  assert.equal(watching.size, MAX_SUBSCRIPTIONS);
  const [refused] = (await send(harness.url, batch(MAX_SUBSCRIPTIONS, 1), { headers })).json;
  assert.match(refused.error.message, /unsubscribe from others first/);
});
