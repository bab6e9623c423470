/** A trace that a client names reaches the upstream and the audit line, through both doors. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rpc, send } from '../mcp/wire.ts';
import { startDoor } from '../support/gateway/door.ts';
import { linesOf, signIn } from '../support/gateway/gateway.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { PASSWORD } from '../support/oauth/password.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const OTHER = `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`;

const upstream = await startUpstream();
const user = {
  allow_any: true,
  targets: [{ id: 'echo', description: 'd', base_url: `${upstream.url}/base` }],
};
const door = await startDoor(user);
const token = (await signIn(door.gateway.url, 'ann', PASSWORD)).accessToken;
after(async () => {
  await door.gateway.stop();
  await upstream.close();
});

/** What the upstream got and what was logged, of a call over MCP. */
async function call({
  meta = {},
  headers = {},
  own = {},
}: {
  meta?: object;
  headers?: Record<string, string>;
  own?: Record<string, string>;
}) {
  const before = door.gateway.lines().filter(({ event }) => event === 'request').length;
  const args = { url: `${upstream.url}/base/x`, headers: own };
  const body = rpc('tools/call', { name: 'http_request', arguments: args, _meta: meta });
  const answer = await send(`${door.gateway.url}/mcp`, body, {
    headers: { ...headers, authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  assert.equal(answer.json.result.isError, undefined, answer.text);
  const line = (await linesOf(door.gateway, ['request'], before + 1))[before]!;
  return { received: upstream.received.at(-1)!.headers, traceId: line.trace_id };
}

test('the trace of a message goes before that of its request', async () => {
  const { received, traceId } = await call({
    meta: { traceparent: TRACEPARENT, tracestate: 'a=b' },
    headers: { traceparent: OTHER },
  });
  assert.equal(received.traceparent, TRACEPARENT);
  assert.equal(received.tracestate, 'a=b');
  assert.equal(traceId, TRACE_ID);
});

test('the trace of the request counts where the message names none', async () => {
  const { received, traceId } = await call({ headers: { traceparent: TRACEPARENT } });
  assert.equal(received.traceparent, TRACEPARENT);
  assert.equal(received.tracestate, undefined);
  assert.equal(traceId, TRACE_ID);
});

test('what is no trace goes nowhere', async () => {
  const { received, traceId } = await call({ meta: { traceparent: 'x\r\ny: z' } });
  assert.equal(received.traceparent, undefined);
  assert.equal(traceId, undefined);
});

test('a header that the model sets stays', async () => {
  const { received } = await call({
    meta: { traceparent: TRACEPARENT },
    own: { Traceparent: OTHER },
  });
  assert.equal(received.traceparent, OTHER);
});

test('the trace of a request through the HTTP door is passed on and logged', async () => {
  const before = door.gateway.lines().filter(({ event }) => event === 'request').length;
  const { status } = await door.send('echo/x', {
    headers: { traceparent: TRACEPARENT, tracestate: 'a=b' },
  });
  assert.equal(status, 200);
  const { headers } = upstream.received.at(-1)!;
  assert.deepEqual([headers.traceparent, headers.tracestate], [TRACEPARENT, 'a=b']);
  const line = (await linesOf(door.gateway, ['request'], before + 1))[before]!;
  assert.deepEqual([line.door, line.trace_id], ['http', TRACE_ID]);
});
