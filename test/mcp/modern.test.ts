/** The modern protocol over raw HTTP: each row of the protocol table, and its strictness. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { INITIALIZE, MODERN_META, modern, rpc, send, sendModern, toolCall } from './wire.ts';

const SERVER_INFO = {
  'io.modelcontextprotocol/serverInfo': { name: 'harness', title: 'Harness', version: '1.2.3' },
};

let harness: Harness;
let url: string;
before(async () => {
  harness = await startHarness();
  url = harness.url;
});
after(() => harness.close());

test('server/discover says what initialize says', async () => {
  const { status, headers, json } = await sendModern(url, 'server/discover');
  assert.equal(status, 200);
  assert.equal(headers['mcp-session-id'], undefined);
  assert.deepEqual(json.result, {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true } },
    instructions: 'hello alice',
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta: SERVER_INFO,
  });
  const legacy = await send(url, INITIALIZE);
  assert.equal(json.result.instructions, legacy.json.result.instructions);
});

test('a list may be kept by its user only', async () => {
  const { json } = await sendModern(url, 'tools/list');
  const { tools, ...rest } = json.result;
  assert.equal(tools.length, 5);
  assert.deepEqual(rest, {
    resultType: 'complete',
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta: SERVER_INFO,
  });
});

test('a tool result is complete and names the server', async () => {
  const { json } = await sendModern(url, 'tools/call', { name: 'echo', arguments: { text: 'x' } });
  assert.deepEqual(json.result, {
    content: [{ type: 'text', text: '{"text":"x"}' }],
    structuredContent: { text: 'x' },
    resultType: 'complete',
    _meta: SERVER_INFO,
  });
});

test('a refusal is a complete result, too', async () => {
  const { status, json } = await sendModern(url, 'tools/call', { name: 'refuse' });
  assert.equal(status, 200);
  assert.equal(json.result.isError, true);
  assert.equal(json.result.resultType, 'complete');
  assert.equal('structuredContent' in json.result, false);
});

for (const method of [
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/list',
  'constructor',
]) {
  test(`${method} is unknown: -32601 under HTTP 404`, async () => {
    const { status, json } = await sendModern(url, method);
    assert.equal(status, 404);
    assert.equal(json.id, 1);
    assert.equal(json.error.code, -32601);
  });
}

for (const [name, meta] of [
  ['no _meta', undefined],
  ['a _meta that is no object', 'x'],
  ['no protocol version', { 'io.modelcontextprotocol/clientCapabilities': {} }],
  ['no client capabilities', { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }],
  [
    'capabilities that are no object',
    { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': 1 },
  ],
] as const) {
  test(`${name} is -32602 under HTTP 400`, async () => {
    const { headers } = modern('tools/list');
    const { status, json } = await send(url, rpc('tools/list', { _meta: meta }), { headers });
    assert.equal(status, 400);
    assert.equal(json.id, 1);
    assert.equal(json.error.code, -32602);
  });
}

test('a version we do not speak is -32022 and names those we do', async () => {
  for (const requested of ['2099-01-01', '2025-11-25']) {
    const meta = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': requested };
    const { headers } = modern('server/discover');
    const { status, json } = await send(url, rpc('server/discover', { _meta: meta }), {
      headers: { ...headers, 'mcp-protocol-version': requested },
    });
    assert.equal(status, 400);
    assert.equal(json.error.code, -32022);
    assert.deepEqual(json.error.data, { supported: ['2026-07-28'], requested });
  }
});

const ECHO = base64('echo');
for (const [name, changes, isServed] of [
  ['headers that equal the body', {}, true],
  ['a name in base64', { 'mcp-name': ECHO }, true],
  ['a name with spaces around it', { 'mcp-name': '  echo\t' }, true],
  ['another version', { 'mcp-protocol-version': '2025-11-25' }, false],
  ['no version', { 'mcp-protocol-version': undefined }, false],
  ['the method in base64', { 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' }, true],
  ['another method', { 'mcp-method': 'tools/list' }, false],
  ['the method in capitals', { 'mcp-method': 'TOOLS/CALL' }, false],
  ['no method', { 'mcp-method': undefined }, false],
  ['another name', { 'mcp-name': 'refuse' }, false],
  ['another name in base64', { 'mcp-name': base64('refuse') }, false],
  ['base64 without its padding', { 'mcp-name': '=?base64?ZWNobw?=' }, false],
  ['base64 that is none', { 'mcp-name': '=?base64?ec!!o===?=' }, false],
  ['no name', { 'mcp-name': undefined }, false],
] as const) {
  test(`a request with ${name} is ${isServed ? 'served' : '-32020 under HTTP 400'}`, async () => {
    const { body, headers } = modern('tools/call', { name: 'echo', arguments: { text: 'x' } });
    const changed = Object.fromEntries(
      Object.entries({ ...headers, ...changes }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const { status, json } = await send(url, body, { headers: changed });
    assert.equal(status, isServed ? 200 : 400);
    assert.equal(json.id, 1);
    assert.equal(json.error?.code, isServed ? undefined : -32020);
  });
}

test('the header alone makes a request modern, whatever else it carries', async () => {
  const { status, json } = await send(url, INITIALIZE, {
    headers: { 'mcp-protocol-version': '2026-07-28' },
  });
  assert.equal(status, 400);
  assert.equal(json.error.code, -32602);
});

test('the _meta alone makes a request modern, also with a session', async () => {
  const { body } = modern('tools/list');
  const { status, json } = await send(url, body, { headers: { 'mcp-session-id': 'x' } });
  assert.equal(status, 400);
  assert.equal(json.error.code, -32020);
});

test('a session id is of no concern to a modern request', async () => {
  const { body, headers } = modern('tools/list');
  const { status } = await send(url, body, { headers: { ...headers, 'mcp-session-id': 'x' } });
  assert.equal(status, 200);
});

for (const [name, body] of [
  ['a batch', [modern('tools/list').body]],
  ['a batch in which one message claims the modern protocol', [rpc('ping'), modern('ping').body]],
  ['a response', { jsonrpc: '2.0', id: 1, result: {}, params: { _meta: MODERN_META } }],
  [
    'a method that no text can be made of',
    { ...modern('ping').body, method: { toString: 1, valueOf: 1 } },
  ],
] as const) {
  test(`${name} is an invalid request`, async () => {
    const { status, json } = await send(url, body);
    assert.equal(status, 400);
    assert.equal(json.error.code, -32600);
  });
}

test('a notification is taken with 202', async () => {
  const { headers } = modern('notifications/x');
  const notification = { jsonrpc: '2.0', method: 'notifications/x' };
  const { status, text } = await send(url, notification, { headers });
  assert.equal(status, 202);
  assert.equal(text, '');
});

test('GET and DELETE are not of this revision', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await send(url, undefined, {
      method,
      headers: { 'mcp-protocol-version': '2026-07-28' },
    });
    assert.equal(status, 405);
    assert.equal(headers.allow, 'POST, OPTIONS');
  }
});

test('an unknown tool and a failing tool are errors under HTTP 200', async () => {
  for (const [name, code] of [
    ['nope', -32602],
    ['explode', -32603],
  ] as const) {
    const { status, json } = await sendModern(url, 'tools/call', { name });
    assert.equal(status, 200);
    assert.equal(json.error.code, code);
  }
});

test('a legacy request on the same connection is answered as ever', async () => {
  const { json } = await send(url, toolCall('whoami'));
  assert.equal('resultType' in json.result, false);
});

function base64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
