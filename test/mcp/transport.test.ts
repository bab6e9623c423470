/** What is decided before any message is looked at: host, origin, token, size and shape of the body. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { INITIALIZE, initialize, JSON_TYPE, rpc, send, TOKEN, toolCall } from './wire.ts';

const MIB = 1024 * 1024;

let harness: Harness;
let url: string;
/** Published under a real name instead of loopback. */
let published: Harness;
before(async () => {
  harness = await startHarness();
  published = await startHarness({ publicUrl: 'https://gateway.example:8443' });
  url = harness.url;
});
after(() => Promise.all([harness.close(), published.close()]));

for (const method of ['POST', 'GET', 'DELETE']) {
  test(`${method} without a valid token is 401 before anything else of it is read`, async () => {
    for (const authorization of ['', 'Bearer wrong']) {
      const { status, headers } = await send(url, method === 'POST' ? '{not json' : undefined, {
        method,
        headers: { authorization, 'content-type': 'text/plain', 'mcp-session-id': 'x' },
      });
      assert.equal(status, 401);
      assert.match(headers['www-authenticate'] ?? '', /^Bearer /);
    }
  });
}

test('a stranger is answered without waiting for the body', async () => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  assert.match(head.toString(), /^HTTP\/1.1 401 /);
});

for (const [name, body, code] of [
  ['text that is no JSON', '{"jsonrpc":', -32700],
  ['no body', '', -32700],
  ['JSON nested too deeply', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, -32600],
  ['four MiB of opening brackets', '['.repeat(4 * MIB), -32600],
  ['four MiB of opening braces', '{"a":'.repeat((4 * MIB) / 5), -32600],
  ['two million members', `[${'0,'.repeat((4 * MIB - 2) / 2)}0]`, -32600],
] as const) {
  test(`${name} is ${code} under HTTP 400`, async () => {
    const { status, json } = await send(url, body);
    assert.equal(status, 400);
    assert.equal(json.id, null);
    assert.equal(json.error.code, code);
  });
}

for (const [name, bytes] of [
  ['a byte of Latin-1', [0xe9]],
  ['half a character', [0xe2, 0x82]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
] as const) {
  test(`${name} is no UTF-8, and a body with it is refused instead of changed`, async () => {
    const [head, tail] = JSON.stringify(toolCall('echo', { text: '|' })).split('|') as [
      string,
      string,
    ];
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...TOKEN, ...JSON_TYPE },
      body: Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)]),
    });
    assert.equal(answer.status, 400);
    const { error } = (await answer.json()) as { error: object };
    assert.deepEqual(error, { code: -32700, message: 'the body is not valid UTF-8' });
  });
}

test('brackets inside strings are not depth', async () => {
  const text = `\\"${'['.repeat(1000)}`;
  const { json } = await send(url, toolCall('echo', { text }));
  assert.deepEqual(json.result.structuredContent, { text });
});

test('a body of 8 MiB is read, one byte more is 413', async () => {
  const message = JSON.stringify(rpc('ping'));
  const full = await send(url, message.padEnd(8 * MIB));
  assert.deepEqual(full.json.result, {});
  const over = await send(url, message.padEnd(8 * MIB + 1));
  assert.equal(over.status, 413);
  assert.equal(over.json.error.code, -32600);
});

test('a body over the limit is 413 also when its length is not announced', async () => {
  const { status } = await send(url, 'x'.repeat(8 * MIB + 1), {
    headers: { 'transfer-encoding': 'chunked' },
  });
  assert.equal(status, 413);
});

for (const [type, status] of [
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['Application/JSON', 200],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data', 415],
  ['nonsense', 415],
] as const) {
  test(`a body of type ${type} is ${status}`, async () => {
    const answer = await send(url, rpc('ping'), { headers: { 'content-type': type } });
    assert.equal(answer.status, status);
    assert.equal(answer.json.error?.code, status === 200 ? undefined : -32600);
  });
}

for (const [name, body, status] of [
  ['no body and no type', undefined, 400],
  ['a body without a type', Buffer.from('{}'), 415],
  ['a body without a type or a length', new Blob(['{}']).stream(), 415],
] as const) {
  test(`${name} is ${status}`, async () => {
    const sent = body && { body, duplex: 'half' as const };
    const answer = await fetch(url, { method: 'POST', headers: TOKEN, ...sent });
    assert.equal(answer.status, status);
    assert.equal(((await answer.json()) as { id: unknown }).id, null);
  });
}

test('a DELETE is answered whatever its body is said to be', async () => {
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    const session = await initialize(url);
    const { status } = await send(url, '{}', {
      method: 'DELETE',
      headers: { 'content-type': type, ...session },
    });
    assert.equal(status, 204);
  }
});

for (const [origin, isAllowed] of [
  ['https://gateway.example:8443', true],
  ['http://localhost', true],
  ['http://localhost:6274', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['https://claude.ai', true],
  ['https://gateway.example', false],
  ['https://gateway.example:8443.evil.example', false],
  ['https://evil.example', false],
  ['http://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://localhost@evil.example', false],
  ['https://claude.ai.evil.example', false],
  ['https://claude.ai, https://evil.example', false],
  ['http://localhost/evil', false],
  ['http://evil@localhost', false],
  ['file://', false],
  ['null', false],
  ['', false],
] as const) {
  test(`origin ${JSON.stringify(origin)} is ${isAllowed ? 'served' : 'refused'}`, async () => {
    const { status, headers } = await send(published.url, rpc('ping'), { headers: { origin } });
    assert.equal(status, isAllowed ? 200 : 403);
    assert.equal(headers['access-control-allow-origin'], isAllowed ? origin : undefined);
    assert.equal(headers.vary, 'Origin');
    for (const method of ['GET', 'DELETE']) {
      const other = await send(published.url, undefined, {
        method,
        headers: { origin, 'mcp-session-id': 'unknown' },
      });
      assert.equal(other.status, isAllowed ? 404 : 403);
    }
  });
}

test('a page that may call can read the session id and the challenge', async () => {
  const headers = { origin: 'https://claude.ai' };
  const served = await send(url, INITIALIZE, { headers });
  assert.equal(served.headers['access-control-expose-headers'], 'Mcp-Session-Id, WWW-Authenticate');
  const stranger = await send(url, INITIALIZE, { headers: { ...headers, authorization: '' } });
  assert.equal(stranger.status, 401);
  assert.equal(stranger.headers['access-control-allow-origin'], 'https://claude.ai');
  assert.match(stranger.headers['access-control-expose-headers'] as string, /\bWWW-Authenticate\b/);
});

test('a preflight is answered without a token, for an allowed origin only', async () => {
  const preflight = (origin: string) =>
    send(url, undefined, {
      method: 'OPTIONS',
      headers: {
        authorization: '',
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-protocol-version',
      },
    });
  const allowed = await preflight('https://claude.ai');
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://claude.ai');
  assert.equal(allowed.headers['access-control-allow-methods'], 'GET, POST, DELETE, OPTIONS');
  for (const name of [
    'authorization',
    'content-type',
    'mcp-session-id',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'last-event-id',
  ]) {
    assert.match(allowed.headers['access-control-allow-headers'] as string, new RegExp(name));
  }
  const refused = await preflight('https://evil.example');
  assert.equal(refused.status, 403);
  assert.equal(refused.headers['access-control-allow-origin'], undefined);
});

for (const [origin, status] of [
  ['https://claude.ai', 204],
  ['https://evil.example', 403],
] as const) {
  test(`a preflight of ${origin} is answered before any of its body is read`, async () => {
    const length = { 'content-length': String(8 * 1024 * 1024), connection: 'close' };
    const headers = { authorization: '', origin, ...length };
    for (const type of ['application/json', 'text/plain']) {
      const answer = await send(url, undefined, {
        method: 'OPTIONS',
        headers: { ...headers, 'content-type': type },
      });
      assert.equal(answer.status, status);
    }
  });
}

for (const [host, isAllowed] of [
  ['localhost', true],
  ['LOCALHOST:2019', true],
  ['127.0.0.1:2019', true],
  ['127.0.0.2', true],
  ['[::1]:2019', true],
  ['evil.example', false],
  ['evil.example:2019', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost:2019@evil.example', false],
  ['10.0.0.1', false],
] as const) {
  test(`a server on loopback ${isAllowed ? 'serves' : 'refuses'} the host ${host}`, async () => {
    const { status } = await send(url, rpc('ping'), { headers: { host } });
    assert.equal(status, isAllowed ? 200 : 403);
  });
}

test('a server with a public name serves any host: its proxy may rewrite it', async () => {
  const { status } = await send(published.url, rpc('ping'), { headers: { host: 'internal:1' } });
  assert.equal(status, 200);
});

for (const method of ['HEAD', 'PUT', 'PATCH']) {
  test(`${method} is 405 and told what there is, with and without a token`, async () => {
    for (const authorization of ['Bearer alice-token', '']) {
      for (const path of ['', '/']) {
        const answer = await send(url + path, undefined, { method, headers: { authorization } });
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.allow, 'GET, POST, DELETE, OPTIONS');
      }
    }
  });
}

test('a request refused for its host or origin leaves one line, as one without a token does', async () => {
  const own = await startHarness();
  await send(own.url, rpc('ping'), { headers: { host: 'evil.example' } });
  await send(own.url, undefined, { method: 'GET', headers: { origin: 'https://evil.example' } });
  await own.close();
  const line = {
    level: 'warn',
    event: 'request',
    user: null,
    client_id: null,
    target: null,
    url: 'http://127.0.0.1:2019/mcp',
    status: 403,
    ip: '127.0.0.1',
  };
  assert.deepEqual(own.requestLines, [
    { ...line, method: 'POST', error: 'forbidden_host' },
    { ...line, method: 'GET', error: 'forbidden_origin' },
  ]);
});

test('two users interleaved on one connection stay two users', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const users = ['alice', 'bob', 'alice', 'bob', 'alice'];
    const answers = await Promise.all(
      users.map((user) =>
        send(url, toolCall('whoami'), {
          agent,
          headers: { authorization: `Bearer ${user}-token` },
        }),
      ),
    );
    assert.deepEqual(
      answers.map((answer) => answer.json.result.structuredContent.user),
      users,
    );
    const stranger = await send(url, toolCall('whoami'), { agent, headers: { authorization: '' } });
    assert.equal(stranger.status, 401);
  } finally {
    agent.destroy();
  }
});

test("one user's session does not exist for another, whatever they try with it", async () => {
  const session = await initialize(url);
  const bob = { ...session, authorization: 'Bearer bob-token' };
  for (const [method, body] of [
    ['POST', rpc('tools/list')],
    ['GET', undefined],
    ['DELETE', undefined],
  ] as const) {
    const foreign = await send(url, body, { method, headers: bob });
    assert.equal(foreign.status, 404);
    const unknown = await send(url, body, {
      method,
      headers: { ...bob, 'mcp-session-id': 'no-such-session' },
    });
    assert.equal(foreign.text, unknown.text);
  }
  const { status } = await send(url, rpc('ping'), { headers: session });
  assert.equal(status, 200);
});
