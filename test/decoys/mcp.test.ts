/** The MCP decoy on the wire: both eras, framings and refusals, and real clients at work. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  Client as Client2,
  SSEClientTransport as LegacyTransport2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as LegacyTransport1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as AnyTransport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { parseAddress } from '../../src/core/net/address.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, MCP_HEADERS, NOW_MS, rpc, startDecoys, type TestDecoys } from './support.ts';

const META = 'io.modelcontextprotocol/';
const MODERN = {
  _meta: {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'probe', version: '2' },
    [`${META}clientCapabilities`]: {},
  },
};
const tokens = new Honeytokens({ key: KEY, site: 'decoys' });

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

async function post(body: string, headers: Record<string, string> = {}, target = '/mcp') {
  const reply = await decoys.ask(target, {
    method: 'POST',
    headers: { ...MCP_HEADERS, ...headers },
    body,
  });
  return { ...reply, json: reply.body.startsWith('{') ? JSON.parse(reply.body) : undefined };
}

for (const [asked, answered] of [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2099-01-01', '2025-11-25'],
  ['1.0', '2025-11-25'],
  [undefined, '2025-11-25'],
] as const) {
  test(`initialize with ${asked} is answered with ${answered}`, async () => {
    const { status, json, headers } = await post(rpc('initialize', { protocolVersion: asked }));
    assert.equal(status, 200);
    assert.equal(json.result.protocolVersion, answered);
    assert.deepEqual(Object.keys(json.result.capabilities), ['tools', 'prompts', 'resources']);
    assert.deepEqual(Object.keys(json.result.serverInfo), ['name', 'title', 'version']);
    const session = tokens.open(String(headers['mcp-session-id']).slice(0, 32), NOW_MS);
    assert.deepEqual([session?.place.tag, session?.address], ['mcp-server-probe', '127.0.0.1']);
  });
}

test('a honeytoken in a message is never in the line of it, nor is it said to be known', async () => {
  const token = tokens.issue('configToken', parseAddress('203.0.113.7')!, 20_700);
  const said = ['', 'x'.repeat(40)].map((before) => before + token);
  const from = decoys.written.length;
  for (const text of said) {
    const clientInfo = { name: text, version: text };
    await post(rpc('initialize', { protocolVersion: text, clientInfo }));
    await post(rpc(text));
    await post(rpc('tools/call', { name: text }));
    const _meta = { [`${META}protocolVersion`]: text, [`${META}clientInfo`]: clientInfo };
    const { json } = await post(rpc('server/discover', { _meta }));
    assert.equal(json.error.data.requested, text.slice(0, 64));
  }
  const lines = decoys.written.slice(from).filter((line) => line.includes('decoy_hit'));
  assert.equal(lines.length, 8);
  for (const line of lines) assert.ok(!line.includes(token.slice(8, 16)), line);
  const hit = JSON.parse(lines[0]!);
  assert.deepEqual(
    [hit['mcp.client.name'], hit['mcp.client.version'], hit['mcp.protocol_version']],
    Array(3).fill('[honeytoken]'),
  );
});

test('an id comes back as it was given, number or text', async () => {
  for (const id of [0, 7, -1, 'abc', '7', '']) {
    assert.equal((await post(rpc('ping', {}, id))).json.id, id);
  }
});

for (const [what, body, status, code] of [
  ['what is no JSON', '{', 400, -32700],
  ['nothing', '', 400, -32700],
  ['an array', '[]', 400, -32600],
  ['no JSON-RPC', '{}', 400, -32600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
  ['an id that is too long', rpc('ping', {}, 'x'.repeat(5_000)), 400, -32600],
  ['an unknown method', rpc('nope'), 200, -32601],
  ['an unknown tool', rpc('tools/call', { name: 'nope' }), 200, -32602],
  ['a resource', rpc('resources/read', { uri: 'x' }), 200, -32603],
  [
    'a discovery of a version to come',
    rpc('server/discover', { _meta: { [`${META}protocolVersion`]: '2030-01-01' } }),
    400,
    -32022,
  ],
  ['an unknown method of the modern era', rpc('ping', MODERN), 404, -32601],
] as const) {
  test(`${what} is refused with ${code} and HTTP ${status}`, async () => {
    const reply = await post(body);
    assert.equal(reply.status, status);
    assert.equal(reply.json.error.code, code);
    assert.ok(reply.body.length <= 4_096);
    assert.equal(reply.headers['mcp-session-id'], undefined);
  });
}

test('a version nobody knows is refused with what is supported and what was asked', async () => {
  const params = { _meta: { [`${META}protocolVersion`]: '2030-01-01' } };
  const { json } = await post(rpc('tools/list', params));
  assert.deepEqual(json.error.data, {
    supported: ['2026-07-28', '2025-11-25'],
    requested: '2030-01-01',
  });
});

test('a header that contradicts the body is refused', async () => {
  const { status, json } = await post(rpc('tools/list', MODERN), {
    'mcp-protocol-version': '2025-06-18',
  });
  assert.deepEqual([status, json.error.code], [400, -32020]);
});

test('server/discover tells versions, capabilities and a lifetime, and opens no session', async () => {
  const { status, json, headers } = await post(rpc('server/discover', MODERN));
  assert.equal(status, 200);
  const { resultType, supportedVersions, capabilities, ttlMs, cacheScope, _meta } = json.result;
  assert.deepEqual(supportedVersions, ['2026-07-28', '2025-11-25']);
  assert.deepEqual([resultType, cacheScope], ['complete', 'public']);
  assert.ok(ttlMs > 0 && capabilities.tools);
  assert.ok(_meta[`${META}serverInfo`].name);
  assert.equal(headers['mcp-session-id'], undefined);
});

for (const [method, member] of [
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
] as const) {
  test(`${method} names two to four things, without a session and in both eras`, async () => {
    const legacy = await post(rpc(method));
    const modern = await post(rpc(method, MODERN));
    const list = legacy.json.result[member];
    assert.ok(list.length >= 2 && list.length <= 4);
    assert.deepEqual(modern.json.result[member], list);
    assert.equal(modern.json.result.resultType, 'complete');
  });
}

test('a tool call is refused as a result, not done', async () => {
  const { json: listed } = await post(rpc('tools/list'));
  const { name, inputSchema } = listed.result.tools[0];
  const given = Object.fromEntries(
    Object.entries<{ type: string }>(inputSchema.properties).map(([field, { type }]) => [
      field,
      type === 'integer' ? 7 : 'words',
    ]),
  );
  const call = async (values: object) =>
    (await post(rpc('tools/call', { name, arguments: values }))).json.result;
  const refused = await call(given);
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /approval/i);
  for (const wrong of [{}, { [inputSchema.required[0]]: [] }]) {
    const invalid = await call(wrong);
    assert.equal(invalid.isError, true);
    assert.match(invalid.content[0].text, /-32602: Input validation error: Invalid arguments/);
  }
});

test('notifications and responses are accepted without a body', async () => {
  for (const body of [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ]) {
    const reply = await post(body);
    assert.deepEqual([reply.status, reply.body], [202, '']);
  }
});

for (const [accept, type] of [
  ['application/json, text/event-stream', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
] as const) {
  test(`a client that accepts ${accept} is answered in ${type}`, async () => {
    const reply = await post(rpc('ping'), { accept });
    assert.equal(reply.headers['content-type'], type);
    const text =
      type === 'application/json'
        ? reply.body
        : reply.body.replace(/^event: message\ndata: |\n\n$/g, '');
    assert.deepEqual(JSON.parse(text), { jsonrpc: '2.0', id: 1, result: {} });
  });
}

test('a client that says nothing is answered in JSON', async () => {
  const reply = await decoys.ask('/mcp', { method: 'POST', body: rpc('tools/list') });
  assert.equal(reply.headers['content-type'], 'application/json');
});

test('a client that accepts neither is told so', async () => {
  const reply = await post(rpc('ping'), { accept: 'text/html' });
  assert.equal(reply.status, 406);
  assert.equal(
    reply.json.error.message,
    'Not Acceptable: Client must accept both application/json and text/event-stream',
  );
});

for (const target of ['/sse', '/mcp/sse']) {
  test(`GET ${target} names an endpoint`, async () => {
    const reply = await decoys.ask(target, { headers: { accept: 'text/event-stream' } });
    assert.equal(reply.headers['content-type'], 'text/event-stream');
    const session =
      /^event: endpoint\ndata: \/mcp\?sessionId=([a-z2-7]{32})-[a-z2-7]{16}\n\n$/.exec(reply.body);
    assert.equal(tokens.open(session?.[1] ?? '', NOW_MS)?.place.tag, 'mcp-server-probe');
  });
}

test('a body over 256 KiB is answered without being kept', async () => {
  const reply = await post(rpc('initialize', { padding: 'x'.repeat(300_000) }));
  assert.deepEqual([reply.status, reply.json.error.code], [400, -32700]);
});

test('the event line holds what the probe told of itself', async () => {
  const seen = decoys.written.length;
  await post(
    rpc('initialize', {
      protocolVersion: '2025-06-18',
      clientInfo: { name: 'n'.repeat(500), version: '9' },
    }),
  );
  await post(rpc('tools/call', { name: 'get_invoice', ...MODERN }));
  const [initialize, call] = decoys.lines().slice(seen);
  assert.deepEqual(
    ['mcp.method', 'mcp.era', 'mcp.protocol_version', 'mcp.client.name', 'mcp.client.version'].map(
      (field) => initialize?.[field],
    ),
    ['initialize', 'legacy', '2025-06-18', 'n'.repeat(64), '9'],
  );
  assert.deepEqual(
    ['mcp.method', 'mcp.era', 'mcp.tool', 'mcp.client.name'].map((field) => call?.[field]),
    ['tools/call', 'modern', 'get_invoice', 'probe'],
  );
});

test('every initialize opens another session, and only sessions of this server are known', async () => {
  const open = async () => {
    const { headers } = await post(rpc('initialize', { protocolVersion: '2025-06-18' }));
    return String(headers['mcp-session-id']);
  };
  const [one, other] = [await open(), await open()];
  assert.notEqual(one, other);
  const forged = [one.slice(0, 32), `${one.slice(0, -1)}${one.endsWith('a') ? 'b' : 'a'}`, 'x'];
  for (const [session, status] of [[one, 200], ...forged.map((id) => [id, 404])] as const) {
    const header = { 'mcp-session-id': String(session) };
    assert.equal((await post(rpc('tools/list'), header)).status, status, String(session));
    const method = 'DELETE';
    assert.equal((await decoys.ask('/mcp', { method, headers: header })).status, status);
  }
  assert.equal((await decoys.ask('/mcp', { method: 'DELETE' })).status, 400);
});

test('GET of the endpoint is refused without a session, and a stream with one', async () => {
  const accept = 'text/event-stream';
  assert.equal((await decoys.ask('/mcp', { headers: { accept } })).status, 400);
  assert.equal((await decoys.ask('/mcp', { headers: { accept: 'text/html' } })).status, 406);
  const { headers } = await post(rpc('initialize', { protocolVersion: '2025-06-18' }));
  const session = String(headers['mcp-session-id']);
  const response = await fetch(`${decoys.url}/mcp`, {
    headers: { accept, 'mcp-session-id': session },
  });
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, accept]);
  await response.body?.cancel();
});

test('a source has four streams at most, and a place is free again when one ends', async () => {
  const server = await startDecoys();
  const open = () => fetch(`${server.url}/sse`, { headers: { accept: 'text/event-stream' } });
  const streams = [await open(), await open(), await open(), await open()];
  for (const { status } of streams) assert.equal(status, 200);
  assert.equal((await open()).status, 503);
  await streams[0]!.body?.cancel();
  let status = 503;
  while (status === 503) status = (await open()).status;
  assert.equal(status, 200);
  await server.close();
});

for (const [name, connectLegacy] of [
  ['sdk 1.x', (url: URL) => legacy1(url)],
  ['client 2.x', (url: URL) => legacy2(url)],
] as const) {
  for (const path of ['/sse', '/mcp/sse']) {
    test(`${name} works over the stream of ${path}`, async () => {
      const client = await connectLegacy(new URL(path, decoys.url));
      assert.ok((await client.listTools()).tools.length >= 2);
      assert.ok((await client.listPrompts()).prompts.length >= 2);
      await client.close();
    });
  }
}

async function legacy1(url: URL) {
  const client = new Client1(INFO);
  await client.connect(new LegacyTransport1(url) as AnyTransport1);
  return client;
}

async function legacy2(url: URL) {
  const client = new Client2(INFO, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new LegacyTransport2(url));
  return client;
}

const INFO = { name: 'test', version: '1.0.0' };

async function connect1(path: string) {
  const client = new Client1(INFO);
  // Its own declarations disagree under exactOptionalPropertyTypes.
  await client.connect(new Transport1(new URL(path, decoys.url)) as AnyTransport1);
  return client;
}

async function connect2(path: string, mode: 'auto' | 'legacy') {
  const client = new Client2(INFO, { versionNegotiation: { mode } });
  await client.connect(new Transport2(new URL(path, decoys.url)));
  return client;
}

for (const [name, connect] of [
  ['client 2.x choosing for itself', (path: string) => connect2(path, 'auto')],
  ['client 2.x in legacy mode', (path: string) => connect2(path, 'legacy')],
  ['sdk 1.x', connect1],
] as const) {
  for (const path of ['/mcp', '/mcp/', '/sse', '/mcp/sse']) {
    test(`${name} connects to ${path}, lists everything and has its call refused`, async () => {
      await decoys.searched();
      const from = decoys.written.length;
      const client = await connect(path);
      assert.match(client.getServerVersion()?.name ?? '', /^[a-z]+-[a-z]+$/);
      const { tools } = await client.listTools();
      assert.ok(tools.length >= 2);
      assert.ok((await client.listPrompts()).prompts.length >= 2);
      assert.ok((await client.listResources()).resources.length >= 2);
      const result = await client.callTool({ name: tools[0]!.name, arguments: {} });
      assert.equal(result.isError, true);
      await client.close();
      await decoys.searched();
      const events = decoys.lines().slice(from);
      assert.deepEqual(
        events.filter(({ event }) => event !== 'decoy_hit'),
        [],
      );
    });
  }
}
