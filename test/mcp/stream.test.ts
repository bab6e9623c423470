/** Answers that take long, and what the server says unasked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { areReplicas } from '../support/replicas/mode.ts';
import { type Harness, startHarness } from './harness.ts';
import { all, initialize, items, messages, modern, open, rpc, send, toolCall } from './wire.ts';

const STREAM = { accept: 'application/json, text/event-stream' };
const GET = { method: 'GET' };
const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** Every timer is short: a call is slow at once, comments come every few milliseconds. */
let hasty: Harness;
/** Every timer is the real one: none fires during a test. */
let patient: Harness;
before(async () => {
  hasty = await startHarness({ timings: { slowCallMs: 1, keepAliveMs: 5 } });
  patient = await startHarness();
});
after(() => Promise.all([hasty.close(), patient.close()]));

for (const [era, slow] of Object.entries({
  legacy: { body: toolCall('wait'), headers: {} },
  modern: modern('tools/call', { name: 'wait' }),
})) {
  test(`a slow ${era} call is answered as a stream that is kept alive`, async () => {
    const { incoming } = await open(hasty.url, slow.body, {
      headers: { ...slow.headers, ...STREAM },
    });
    assert.equal(incoming.statusCode, 200);
    assert.equal(incoming.headers['content-type'], 'text/event-stream');
    const call = await hasty.waiting();
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    assert.deepEqual((await stream.next()).value, { comment: 'keep-alive' });
    call.finish();
    const rest = await all(stream);
    const last = rest.at(-1);
    assert.ok(last !== undefined && 'message' in last);
    assert.deepEqual(last.message.result.structuredContent, { waited: true });
  });

  test(`a slow ${era} call is answered as JSON to a client that takes no stream`, async () => {
    for (const accept of ['application/json', '*/*']) {
      const answer = send(hasty.url, slow.body, { headers: { ...slow.headers, accept } });
      const call = await hasty.waiting();
      // A later call of a client that does take streams has become one: this one is slow, too.
      const later = await open(hasty.url, slow.body, { headers: { ...slow.headers, ...STREAM } });
      (await hasty.waiting()).finish();
      await all(messages(later.incoming));
      call.finish();
      const { headers, json } = await answer;
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      assert.deepEqual(json.result.structuredContent, { waited: true });
    }
  });

  test(`a ${era} client may write the types it takes in any case`, async () => {
    const accept = 'Application/JSON, Text/Event-Stream';
    const { incoming } = await open(hasty.url, slow.body, { headers: { ...slow.headers, accept } });
    assert.equal(incoming.headers['content-type'], 'text/event-stream');
    (await hasty.waiting()).finish();
    assert.equal((await all(messages(incoming))).length, 1);
  });

  test(`progress of a ${era} call arrives before its result`, async () => {
    const body = structuredClone(slow.body) as { params: { _meta?: object } };
    body.params._meta = { ...body.params._meta, progressToken: 'p1' };
    const opened = open(patient.url, body, { headers: { ...slow.headers, ...STREAM } });
    const call = await patient.waiting();
    call.context.progress(1, 2, 'half way');
    const stream = messages((await opened).incoming);
    assert.deepEqual((await stream.next()).value, {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p1', progress: 1, total: 2, message: 'half way' },
    });
    call.context.progress(2);
    assert.deepEqual((await stream.next()).value.params, { progressToken: 'p1', progress: 2 });
    call.finish();
    assert.deepEqual((await stream.next()).value.result.structuredContent, { waited: true });
    assert.equal((await stream.next()).done, true);
  });

  test(`a slow ${era} call is reported at every beat, by numbers that grow`, async () => {
    const body = structuredClone(slow.body) as { params: { _meta?: object } };
    body.params._meta = { ...body.params._meta, progressToken: 7 };
    const { incoming } = await open(hasty.url, body, { headers: { ...slow.headers, ...STREAM } });
    const call = await hasty.waiting();
    const stream = messages(incoming);
    for (const progress of [1, 2, 3]) {
      assert.deepEqual((await stream.next()).value, {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 7, progress },
      });
    }
    call.finish();
    const rest = await all(stream);
    assert.deepEqual(rest.at(-1).result.structuredContent, { waited: true });
  });

  test(`a ${era} client that asked for no progress, or takes no stream, gets JSON`, async () => {
    const asking = structuredClone(slow.body) as { params: { _meta?: object } };
    asking.params._meta = { ...asking.params._meta, progressToken: 'p1' };
    for (const [body, accept] of [
      [slow.body, STREAM.accept],
      [asking, 'application/json'],
    ] as const) {
      const answer = send(patient.url, body, { headers: { ...slow.headers, accept } });
      const call = await patient.waiting();
      call.context.progress(1, 2);
      call.finish();
      assert.deepEqual((await answer).json.result.structuredContent, { waited: true });
    }
  });

  test(`closing the response cancels a ${era} call`, async () => {
    for (const harness of [patient, hasty]) {
      const opened = open(harness.url, slow.body, { headers: { ...slow.headers, ...STREAM } });
      const call = await harness.waiting();
      if (harness === hasty) {
        (await opened).outgoing.destroy();
      } else {
        // No header has been sent yet: the connection is all there is to close.
        opened.catch(() => {});
        harness.closeAllConnections();
      }
      await call.aborted;
      assert.equal(call.signal.aborted, true);
    }
  });
}

test('a call of a batch that is over is no longer reported, while others go on', async () => {
  const batch = ['short', 'long'].map((token, index) => ({
    ...toolCall('wait', {}, { progressToken: token }),
    id: index,
  }));
  const { incoming } = await open(hasty.url, batch, { headers: STREAM });
  const [short, long] = [await hasty.waiting(), await hasty.waiting()];
  const stream = messages(incoming);
  await stream.next();
  short.finish();
  const tokens: string[] = [];
  while (tokens.slice(-3).join() !== 'long,long,long') {
    tokens.push((await stream.next()).value.params.progressToken);
  }
  long.finish();
  const rest = await all(stream);
  assert.ok(rest.every(({ params }) => params?.progressToken !== 'short'));
});

test('a client that does not read is cut off before it fills our memory', async () => {
  const opened = open(patient.url, toolCall('wait', {}, { progressToken: 1 }), { headers: STREAM });
  const { context, signal, aborted } = await patient.waiting();
  context.progress(0);
  await opened;
  const mebibyte = 'x'.repeat(1024 * 1024);
  let sent = 0;
  for (; sent < 100 && !signal.aborted; sent++) {
    context.progress(sent, 100, mebibyte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await aborted;
  assert.ok(sent < 100);
});

test('a result of any size reaches a client that reads', async () => {
  // Escaped twice, this is more than a client that does not read may leave unread.
  const text = '"'.repeat(3 * 1024 * 1024);
  const { incoming } = await open(patient.url, toolCall('echo', { text }), {
    headers: { accept: 'text/event-stream' },
  });
  const [answer] = await all(messages(incoming));
  assert.equal(answer.result.structuredContent.text, text);
});

test('a call that ends in time is not cancelled', async () => {
  const answer = send(patient.url, toolCall('wait'));
  const call = await patient.waiting();
  call.finish();
  await answer;
  await send(patient.url, rpc('ping'));
  assert.equal(call.signal.aborted, false);
});

test('a client that only takes streams gets one at once', async () => {
  const { incoming } = await open(patient.url, rpc('ping'), {
    headers: { accept: 'text/event-stream' },
  });
  assert.equal(incoming.headers['content-type'], 'text/event-stream');
  assert.deepEqual(await all(messages(incoming)), [{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('a slow batch becomes a stream with one event for each answer', async () => {
  const batch = [rpc('ping', {}, 'a'), toolCall('wait'), rpc('ping', {}, 'b')];
  const { incoming } = await open(hasty.url, batch, { headers: STREAM });
  (await hasty.waiting()).finish();
  const answers = await all(messages(incoming));
  assert.deepEqual(
    answers.map((answer) => answer.id),
    ['a', 1, 'b'],
  );
});

test('notifications/cancelled cancels a call of the same session and of no other', async () => {
  const session = await initialize(patient.url);
  const cancelled = (headers: Record<string, string>) =>
    send(
      patient.url,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { headers },
    );
  const answer = send(patient.url, toolCall('wait'), { headers: session });
  const call = await patient.waiting();
  for (const headers of [await initialize(patient.url), {}]) {
    assert.equal((await cancelled(headers)).status, 202);
    assert.equal(call.signal.aborted, false);
  }
  await cancelled(session);
  await call.aborted;
  const { status, text } = await answer;
  assert.equal(status, 202);
  assert.equal(text, '');
  call.finish();
});

test('a GET stream opens at once, is kept alive and is told that the tools changed', async () => {
  for (const headers of [await initialize(hasty.url), {} as Record<string, string>]) {
    const { incoming } = await open(hasty.url, undefined, { ...GET, headers });
    assert.equal(incoming.statusCode, 200);
    assert.equal(incoming.headers['content-type'], 'text/event-stream');
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    assert.deepEqual((await stream.next()).value, { comment: 'keep-alive' });
    hasty.endpoint.toolsChanged('bob');
    hasty.endpoint.toolsChanged('alice');
    for await (const item of stream) {
      if ('comment' in item) continue;
      assert.deepEqual(item.message, TOOLS_CHANGED);
      break;
    }
    incoming.destroy();
  }
});

/** Each replica counts the streams that it holds. */
const testOfOne = areReplicas ? () => {} : test;

testOfOne(
  'of several streams of a session the newest hears a message, the fifth ends the first',
  async () => {
    const headers = await initialize(patient.url);
    const streams = [];
    for (let opened = 0; opened < 5; opened++) {
      const { incoming } = await open(patient.url, undefined, { ...GET, headers });
      streams.push(messages(incoming));
    }
    assert.deepEqual(await all(streams[0]!), []);
    patient.endpoint.toolsChanged('alice');
    assert.deepEqual((await streams[4]!.next()).value, TOOLS_CHANGED);
    await send(patient.url, undefined, { method: 'DELETE', headers });
    for (const stream of streams.slice(1, 4)) assert.deepEqual(await all(stream), []);
  },
);

testOfOne('a user holds at most 32 streams and loses their own oldest', async () => {
  const bob = { authorization: 'Bearer bob-token' };
  const bobs = await open(patient.url, undefined, { ...GET, headers: bob });
  const streams = [];
  for (let opened = 0; opened < 33; opened++) {
    streams.push((await open(patient.url, undefined, GET)).incoming);
  }
  assert.deepEqual(await all(messages(streams[0]!)), []);
  patient.endpoint.toolsChanged('bob');
  assert.deepEqual((await messages(bobs.incoming).next()).value, TOOLS_CHANGED);
  for (const stream of [...streams, bobs.incoming]) stream.destroy();
});

test('subscriptions/listen acknowledges first, then tells what was asked for', async () => {
  const { body, headers } = modern('subscriptions/listen', {
    notifications: { toolsListChanged: true, promptsListChanged: true },
  });
  const { incoming } = await open(patient.url, body, { headers });
  const stream = messages(incoming);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
  assert.deepEqual((await stream.next()).value, {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true }, _meta },
  });
  patient.endpoint.toolsChanged('alice');
  assert.deepEqual((await stream.next()).value, { ...TOOLS_CHANGED, params: { _meta } });
  patient.endpoint.endUser('alice');
  const { value } = await stream.next();
  assert.equal(value.id, 1);
  assert.equal(value.result.resultType, 'complete');
  assert.equal((await stream.next()).done, true);
});

test('a subscription to nothing we tell is acknowledged and ends', async () => {
  const { body, headers } = modern('subscriptions/listen', {
    notifications: { promptsListChanged: true },
  });
  const { incoming } = await open(patient.url, body, { headers });
  const [acknowledged, result] = await all(messages(incoming));
  assert.deepEqual(acknowledged.params.notifications, {});
  assert.equal(result.result.resultType, 'complete');
});

test('a subscription without a filter is -32602', async () => {
  const { body, headers } = modern('subscriptions/listen');
  const { json } = await send(patient.url, body, { headers });
  assert.equal(json.error.code, -32602);
});

// With replicas, the balancer may close the connection of the call before its answer is there.
testOfOne('a drain ends the streams and lets running calls finish', async () => {
  const harness = await startHarness();
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const streams = await Promise.all([
    open(harness.url, undefined, GET),
    open(harness.url, undefined, { ...GET, headers: await initialize(harness.url) }),
    open(harness.url, listen.body, { headers: listen.headers }),
  ]);
  const answer = send(harness.url, toolCall('wait'), { headers: { connection: 'close' } });
  const call = await harness.waiting();
  const closed = harness.close();
  for (const { incoming } of streams) await all(messages(incoming));
  call.finish();
  assert.deepEqual((await answer).json.result.structuredContent, { waited: true });
  await closed;
});
