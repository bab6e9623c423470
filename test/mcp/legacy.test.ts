/** The legacy protocol over raw HTTP: each row of the protocol table, and its leniencies. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { INITIALIZE, initialize, open, rpc, send, toolCall } from './wire.ts';

/** `String` of this method throws. */
const NO_TEXT = { jsonrpc: '2.0', id: 1, method: { toString: 1, valueOf: 1 } };

let harness: Harness;
let url: string;
before(async () => {
  harness = await startHarness();
  url = harness.url;
});
after(() => harness.close());

test('initialize answers with a session, what the server is and its instructions', async () => {
  const { status, headers, json } = await send(url, INITIALIZE);
  assert.equal(status, 200);
  assert.match(headers['mcp-session-id'] as string, /^[\x21-\x7e]{32,}$/);
  assert.deepEqual(json, {
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      instructions: 'hello alice',
      serverInfo: { name: 'harness', title: 'Harness', version: '1.2.3' },
    },
  });
});

for (const [requested, answered] of [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['1.0', '2025-11-25'],
  [undefined, '2025-11-25'],
]) {
  test(`initialize for ${requested} is answered with ${answered}`, async () => {
    const { json } = await send(url, rpc('initialize', { protocolVersion: requested }));
    assert.equal(json.result.protocolVersion, answered);
  });
}

test('a request is served with a session and without one', async () => {
  const session = await initialize(url);
  for (const headers of [session, {}, { ...session, 'mcp-protocol-version': '2025-06-18' }]) {
    const { status, json } = await send(url, rpc('tools/list'), { headers });
    assert.equal(status, 200);
    assert.deepEqual(
      json.result.tools.map((tool: { name: string }) => tool.name),
      ['echo', 'refuse', 'explode', 'whoami', 'wait'],
    );
  }
});

test('a tool is listed with its title, schemas and annotations', async () => {
  const { json } = await send(url, rpc('tools/list'));
  assert.deepEqual(json.result.tools[0], {
    name: 'echo',
    title: 'Echo',
    description: 'Gives back what it was given',
    inputSchema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
    },
    outputSchema: {
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' } },
    },
    annotations: { readOnlyHint: true },
  });
});

test('a result is a text block with the JSON and the same as structured content', async () => {
  const text = 'quotes " and \\ and \u2028 and \n';
  const { json } = await send(url, toolCall('echo', { text }));
  assert.deepEqual(json.result, {
    content: [{ type: 'text', text: JSON.stringify({ text }) }],
    structuredContent: { text },
  });
});

test('a refusal is an error result without structured content', async () => {
  const { json } = await send(url, toolCall('refuse'));
  assert.deepEqual(Object.keys(json.result).sort(), ['content', 'isError']);
  assert.equal(json.result.isError, true);
  assert.deepEqual(JSON.parse(json.result.content[0].text), {
    error: 'no_target',
    message: 'no',
    status: 403,
  });
});

for (const [name, args, message] of [
  ['a missing argument', {}, '`text` is required'],
  ['an argument of another type', { text: 1 }, '`text` must be a string'],
  ['a list of arguments', ['x'], '`arguments` must be an object'],
] as const) {
  test(`${name} is a tool error that says what is expected`, async () => {
    const { status, json } = await send(url, toolCall('echo', args));
    assert.equal(status, 200);
    assert.equal(json.result.isError, true);
    assert.deepEqual(JSON.parse(json.result.content[0].text), {
      error: 'invalid_arguments',
      message,
      status: 400,
    });
  });
}

test('absent and null arguments are no arguments', async () => {
  for (const args of [undefined, null]) {
    const { json } = await send(url, rpc('tools/call', { name: 'whoami', arguments: args }));
    assert.deepEqual(json.result.structuredContent, { user: 'alice' });
  }
});

for (const [name, message, code] of [
  ['an unknown method', rpc('logging/setLevel', { level: 'debug' }), -32601],
  ['a method of the modern protocol', rpc('server/discover'), -32601],
  ['a method named like a member of every object', rpc('constructor'), -32601],
  ['resources where there are none', rpc('resources/list'), -32601],
  ['an unknown tool', toolCall('nope'), -32602],
  ['a tool named like a member of every object', toolCall('__proto__'), -32602],
  ['a tool without a name', rpc('tools/call', {}), -32602],
  ['a tool whose name no text can be made of', rpc('tools/call', { name: NO_TEXT.method }), -32602],
  ['a tool that fails', toolCall('explode'), -32603],
] as const) {
  test(`${name} is ${code} under HTTP 200`, async () => {
    const { status, json } = await send(url, message);
    assert.equal(status, 200);
    assert.equal(json.id, 1);
    assert.equal(json.error.code, code);
    assert.doesNotMatch(json.error.message, /detail that must not be seen/);
  });
}

test('an unforeseen failure is logged', async () => {
  const logged = harness.errors.length;
  await send(url, toolCall('explode'));
  assert.deepEqual(harness.errors.slice(logged), ['internal_error']);
});

test('ping is answered with an empty result', async () => {
  const { json } = await send(url, rpc('ping'));
  assert.deepEqual(json, { jsonrpc: '2.0', id: 1, result: {} });
});

for (const [name, message] of [
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/nope' }],
  ['a response', { jsonrpc: '2.0', id: 7, result: {} }],
  ['an error response', { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'x' } }],
  ['a batch of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
] as const) {
  test(`${name} is taken with 202 and no body`, async () => {
    const { status, text } = await send(url, message);
    assert.equal(status, 202);
    assert.equal(text, '');
  });
}

for (const id of [0, -1, 1, 9007199254740991, '', 'a', '1', 'ü"\\', '\u2028']) {
  test(`the id ${JSON.stringify(id)} is echoed exactly`, async () => {
    const { json } = await send(url, rpc('ping', undefined, id));
    assert.strictEqual(json.id, id);
  });
}

for (const [name, body] of [
  ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
  [
    'an id that JSON numbers cannot hold',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
  ],
  ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }],
  ['no jsonrpc member', { id: 1, method: 'ping' }],
  ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }],
  ['no method', { jsonrpc: '2.0', id: 1 }],
  ['a method that is no string', { jsonrpc: '2.0', id: 1, method: 1 }],
  ['a method that no text can be made of', NO_TEXT],
  ['a list of those as method', { ...NO_TEXT, method: [NO_TEXT.method] }],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
  ['a string', '"ping"'],
  ['null', 'null'],
  ['an empty batch', []],
] as const) {
  test(`${name} is an invalid request`, async () => {
    const { status, json } = await send(url, body);
    assert.equal(status, 400);
    assert.equal(json.error.code, -32600);
  });
}

test('a batch is answered in its order, each message for itself', async () => {
  const { status, json } = await send(url, [
    rpc('ping', undefined, 'a'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    rpc('nope', undefined, 'b'),
    { jsonrpc: '2.0', id: null, method: 'ping' },
    INITIALIZE,
    { ...toolCall('whoami'), id: 'c' },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(
    json.map((answer: { id: unknown; error?: { code: number } }) => [
      answer.id,
      answer.error?.code,
    ]),
    [
      ['a', undefined],
      ['b', -32601],
      [null, -32600],
      [1, -32600],
      ['c', undefined],
    ],
  );
});

test('a batch of a hundred is served, a larger one is refused', async () => {
  const batch = (size: number) => Array.from({ length: size }, (_, id) => rpc('ping', {}, id));
  const served = await send(url, batch(100));
  assert.deepEqual(
    served.json.map((answer: { id: number }) => answer.id),
    Array.from({ length: 100 }, (_, id) => id),
  );
  for (const [size, message] of [
    [101, 'a batch has at most 100 messages; split it'],
    [10_000, 'JSON has more than 10000 members; split it'],
  ] as const) {
    const refused = await send(url, batch(size));
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json, { jsonrpc: '2.0', id: null, error: { code: -32600, message } });
  }
});

test('a protocol version we do not speak is refused, but not at initialize', async () => {
  const headers = { 'mcp-protocol-version': '1999-01-01' };
  const refused = await send(url, rpc('tools/list'), { headers });
  assert.equal(refused.status, 400);
  assert.match(refused.json.error.message, /supported: 2025-11-25, 2025-06-18, 2025-03-26/);
  const { status } = await send(url, INITIALIZE, { headers });
  assert.equal(status, 200);
});

for (const method of ['GET', 'DELETE']) {
  test(`${method} with a protocol version we do not speak is refused, too`, async () => {
    const session = await initialize(url);
    const headers = { ...session, 'mcp-protocol-version': '1999-01-01' };
    const { incoming, outgoing } = await open(url, undefined, { method, headers });
    assert.equal(incoming.statusCode, 400);
    outgoing.destroy();
    assert.equal((await send(url, rpc('ping'), { headers: session })).status, 200);
  });
}

for (const params of [undefined, {}, { name: 5 }, { name: null }]) {
  test(`a call of ${JSON.stringify(params)} is told that it names no tool`, async () => {
    const { json } = await send(url, rpc('tools/call', params));
    assert.deepEqual(json.error, { code: -32602, message: '`name` must be a string' });
  });
}

test('the endpoint answers at /mcp/ as at /mcp', async () => {
  const { json } = await send(`${url}/`, rpc('ping'));
  assert.deepEqual(json.result, {});
});
