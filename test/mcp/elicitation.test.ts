/** How a tool asks the person behind the client, in both eras of the protocol. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Secret } from '../../src/core/secrets/secret.ts';
import { InputRequired } from '../../src/mcp/elicitation/peer.ts';
import { Type } from '../../src/mcp/schema.ts';
import { defineTool, jsonResult } from '../../src/mcp/tool.ts';
import { type Harness, startHarness } from './harness.ts';
import { JSON_TYPE, messages, modern, open, rpc, send, sendModern, toolCall } from './wire.ts';

const URL_MODE = { elicitation: { url: {} } };
const PAGE = { mode: 'url', message: 'Please open', url: 'https://example.com/x' };
const DAY_MS = 24 * 3_600_000;

/** Asks for a page to be opened, by whichever way the client knows. */
const asks = defineTool({
  name: 'asks',
  title: 'Asks',
  description: 'Asks for a page to be opened',
  inputSchema: Type.Object({}),
  annotations: {},
  call: async (_args, { peer, isAlive }) => {
    assert.equal(typeof isAlive, 'function');
    if (!peer.abilities.includes('elicitation.url')) return jsonResult({ action: 'unable' });
    if (!peer.inputs) {
      const params = { ...PAGE, elicitationId: 'one' };
      const answer = await peer.ask?.({ method: 'elicitation/create', params });
      peer.notify('notifications/elicitation/complete', { elicitationId: 'one' });
      return jsonResult({ action: answer?.action ?? 'none' });
    }
    const answer = peer.inputs.answers.page;
    const request = { method: 'elicitation/create', params: PAGE };
    if (!answer || !peer.inputs.state) throw new InputRequired({ page: request }, { round: 1 });
    return jsonResult({ action: answer.action, ...peer.inputs.state });
  },
});

let harness: Harness;
let clock = 0;
before(async () => {
  const sealKey = new Secret('seal key', 'k'.repeat(32));
  harness = await startHarness({ tools: [asks], now: () => clock, sealKey });
});
after(() => harness.close());

describe('real clients open the page and go on', () => {
  const opened: string[] = [];
  const handler = async ({ params }: { params: { url?: string } }) => {
    opened.push(String(params.url));
    return { action: 'accept' as const };
  };
  const headers = { authorization: 'Bearer alice-token' };

  for (const [mode, expected] of [
    ['auto', { action: 'accept', round: 1 }],
    ['legacy', { action: 'accept' }],
  ] as const) {
    test(`client 2.x, ${mode}`, async () => {
      const client = new Client2(
        { name: 't', version: '1' },
        { versionNegotiation: { mode }, capabilities: URL_MODE },
      );
      client.setRequestHandler('elicitation/create', handler as never);
      await client.connect(new Transport2(new URL(harness.url), { requestInit: { headers } }));
      const { structuredContent } = await client.callTool({ name: 'asks', arguments: {} });
      assert.deepEqual(structuredContent, expected);
      assert.equal(opened.pop(), PAGE.url);
      await client.close();
    });
  }

  test('sdk 1.x', async () => {
    const client = new Client1({ name: 't', version: '1' }, { capabilities: URL_MODE });
    client.setRequestHandler(ElicitRequestSchema, handler as never);
    const transport = new Transport1(new URL(harness.url), { requestInit: { headers } });
    await client.connect(transport as Transport);
    const { structuredContent } = await client.callTool({ name: 'asks', arguments: {} });
    assert.deepEqual(structuredContent, { action: 'accept' });
    assert.equal(opened.pop(), PAGE.url);
    await client.close();
  });
});

describe('at 2025-11-25', () => {
  async function session(capabilities: object, token = 'alice-token') {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 't' } };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await send(harness.url, rpc('initialize', params), { headers });
    return { ...headers, 'mcp-session-id': String(answer.headers['mcp-session-id']) };
  }
  async function begin(headers: Record<string, string>) {
    const accept = { ...headers, accept: 'application/json, text/event-stream' };
    const { incoming, outgoing } = await open(harness.url, toolCall('asks'), { headers: accept });
    const stream = messages(incoming);
    const asked = (await stream.next()).value;
    return { asked, outgoing, rest: stream };
  }
  const answered = (id: string, action: string) => ({ jsonrpc: '2.0', id, result: { action } });

  test('the request is on the stream of the call, which waits for the answer', async () => {
    const headers = await session(URL_MODE);
    const { asked, rest } = await begin(headers);
    assert.equal(asked.method, 'elicitation/create');
    assert.deepEqual(asked.params, { ...PAGE, elicitationId: 'one' });
    const { status } = await send(harness.url, answered(asked.id, 'decline'), { headers });
    assert.equal(status, 202);
    const complete = (await rest.next()).value;
    assert.equal(complete.method, 'notifications/elicitation/complete');
    const { result } = (await rest.next()).value;
    assert.deepEqual(result.structuredContent, { action: 'decline' });
  });

  test('an error of the client is no answer, and neither is one that is no object', async () => {
    for (const reply of [{ error: { code: -1, message: 'no' } }, { result: 'accept' }]) {
      const headers = await session(URL_MODE);
      const { asked, rest } = await begin(headers);
      await send(harness.url, { jsonrpc: '2.0', id: asked.id, ...reply }, { headers });
      await rest.next();
      const { result } = (await rest.next()).value;
      assert.deepEqual(result.structuredContent, { action: 'none' });
    }
  });

  test('nobody answers in the place of another session, of the same user or another', async () => {
    const headers = await session(URL_MODE);
    const { asked, rest } = await begin(headers);
    for (const other of [await session(URL_MODE), await session(URL_MODE, 'bob-token')]) {
      await send(harness.url, answered(asked.id, 'accept'), { headers: other });
    }
    const bob = { ...headers, authorization: 'Bearer bob-token' };
    const foreign = await send(harness.url, answered(asked.id, 'accept'), { headers: bob });
    assert.equal(foreign.status, 404);
    await send(harness.url, answered(asked.id, 'cancel'), { headers });
    await rest.next();
    const { result } = (await rest.next()).value;
    assert.deepEqual(result.structuredContent, { action: 'cancel' });
  });

  for (const [what, capabilities] of [
    ['none', {}],
    ['forms only', { elicitation: {} }],
    ['what is no object', { elicitation: 'url' }],
  ] as const) {
    test(`a client that declares ${what} is not asked`, async () => {
      const accept = { accept: 'application/json, text/event-stream' };
      const headers = { ...(await session(capabilities)), ...accept };
      const { json } = await send(harness.url, toolCall('asks'), { headers });
      assert.deepEqual(json.result.structuredContent, { action: 'unable' });
    });
  }

  test('a client that takes no stream is not asked, nor one without a session, nor in a batch', async () => {
    const headers = await session(URL_MODE);
    const plain = await send(harness.url, toolCall('asks'), {
      headers: { ...headers, ...JSON_TYPE },
    });
    assert.deepEqual(plain.json.result.structuredContent, { action: 'unable' });
    const without = await send(harness.url, toolCall('asks'));
    assert.deepEqual(without.json.result.structuredContent, { action: 'unable' });
    const batch = await send(harness.url, [toolCall('asks')], { headers });
    assert.deepEqual(batch.json[0].result.structuredContent, { action: 'unable' });
  });

  test('a client that hangs up leaves nothing behind that waits', async () => {
    const headers = await session(URL_MODE);
    const { asked, outgoing } = await begin(headers);
    outgoing.destroy();
    const late = await send(harness.url, answered(asked.id, 'accept'), { headers });
    assert.equal(late.status, 202);
  });
});

describe('at 2026-07-28', () => {
  const meta = { _meta: { 'io.modelcontextprotocol/clientCapabilities': URL_MODE } };
  const call = (extra: object = {}) =>
    sendModern(harness.url, 'tools/call', { name: 'asks', arguments: {}, ...meta, ...extra });
  const accept = { inputResponses: { page: { action: 'accept' } } };

  test('the state of a round comes back unaltered, for this user alone, and for a day', async () => {
    const first = (await call()).json.result;
    assert.equal(first.resultType, 'input_required');
    assert.deepEqual(first.inputRequests.page, { method: 'elicitation/create', params: PAGE });
    const { requestState } = first;
    const again = await call({ ...accept, requestState });
    assert.deepEqual(again.json.result.structuredContent, { action: 'accept', round: 1 });

    const text = Buffer.from(requestState.slice(43), 'base64url').toString();
    const forged = Buffer.from(text.replace('"round":1', '"round":2')).toString('base64url');
    for (const altered of [
      ...[`${requestState}A`, requestState.slice(1), '', 'x', 7, null],
      requestState.slice(0, 43) + forged,
    ]) {
      const { status, json } = await call({ ...accept, requestState: altered });
      assert.deepEqual([status, json.error.code], [400, -32602], String(altered));
    }
    const { body, headers } = modern('tools/call', {
      ...{ name: 'asks', arguments: {}, ...meta, ...accept, requestState },
    });
    const bob = { ...headers, authorization: 'Bearer bob-token' };
    assert.equal((await send(harness.url, body, { headers: bob })).json.error.code, -32602);
    clock += DAY_MS;
    assert.equal((await call({ ...accept, requestState })).json.error.code, -32602);
  });

  test('answers without the state that asked for them count for nothing', async () => {
    assert.equal((await call(accept)).json.result.resultType, 'input_required');
  });

  for (const inputResponses of [null, 1, [], { page: 1 }, { page: null }, 'page']) {
    test(`refused: inputResponses ${JSON.stringify(inputResponses)}`, async () => {
      const { status, json } = await call({ inputResponses });
      assert.deepEqual([status, json.error.code], [400, -32602]);
    });
  }

  test('a client that declares no such capability is not asked', async () => {
    const { json } = await sendModern(harness.url, 'tools/call', { name: 'asks', arguments: {} });
    assert.deepEqual(json.result.structuredContent, { action: 'unable' });
  });
});
