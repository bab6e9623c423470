/** The server on its own: slow clients, broken ones, and connections that are kept. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { parseAddress } from '../../src/core/net/address.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, type Line, rpc, sendBytes, startDecoys } from './support.ts';

const TOKEN = new Honeytokens({ key: KEY, site: 'decoys' }).issue(
  'accessToken',
  parseAddress('203.0.113.7')!,
  20_700,
);

for (const [what, bytes] of [
  ['headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['the body of a decoy', 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'],
] as const) {
  test(`a client that never finishes ${what} is sent away`, async () => {
    const decoys = await startDecoys({ headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const socket = connect(decoys.port, '127.0.0.1');
    socket.write(bytes);
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    await once(socket, 'close');
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    await decoys.close();
  });
}

test('a client that breaks off in the middle of a body harms nobody', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
  const reply = await decoys.ask('/mcp', { method: 'POST', body: rpc('ping') });
  assert.equal(reply.status, 200);
  await decoys.close();
});

test('a body that breaks off is looked into, and its hit is told as 499', async () => {
  const decoys = await startDecoys();
  const start = `{"jsonrpc":"2.0","params":{"token":"${TOKEN}"`;
  await sendBytes(
    decoys.port,
    `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n${start}`,
  );
  await decoys.close();
  assert.deepEqual(
    decoys.lines().map((line) => [line.event, line.tag, line['source.ip']]),
    [
      ['decoy_hit', 'mcp-server-probe', '127.0.0.1'],
      ['honeytoken_used', 'ai-assistant-credentials', '127.0.0.1'],
    ],
  );
  assert.deepEqual(
    [
      'http.request.body.bytes',
      'http.response.status_code',
      'http.response.body.bytes',
      'honeytokens',
    ].map((field) => decoys.lines()[0]?.[field]),
    [start.length, 499, 0, 0],
  );
});

test('one connection serves decoys and 404s in turn', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  const paths = ['/v1/models', '/nothing', '/.aws/credentials', '/nothing', '/api/ps'];
  socket.end(
    paths
      .map((path, at) => {
        const last = at === paths.length - 1 ? 'Connection: close\r\n' : '';
        return `GET ${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
      })
      .join(''),
  );
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  await once(socket, 'close');
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ['200', '404', '200', '404', '200']);
  await decoys.close();
});

test('a body to an unknown path is not waited for', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString('latin1'), /^HTTP\/1\.1 404 /);
  socket.destroy();
  await decoys.close();
});

const usesIn = (lines: readonly Line[]) =>
  lines
    .filter(({ event }) => event === 'honeytoken_used')
    .map((line) => [
      line['honeytoken.presented_in'],
      line['honeytoken.received_by'],
      line['source.ip'],
    ]);
const SEEN = [['body', '203.0.113.7', '127.0.0.1']];

for (const [what, line] of [
  ['an unknown path', 'POST /unknown/path HTTP/1.1'],
  ['an unknown path with a method that has no body', 'GET /nothing HTTP/1.1'],
  ['a decoy that wants no body', 'POST /v1/models HTTP/1.1'],
  ['a decoy that is a file', 'PUT /.claude/settings.json HTTP/1.1'],
] as const) {
  const body = `{"query":"{login(token:\\"${TOKEN}\\"){id}}"}`;
  const head = `${line}\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;

  test(`a honeytoken in a body sent to ${what} is told`, async () => {
    const decoys = await startDecoys();
    await sendBytes(decoys.port, `${head}Connection: close\r\n\r\n${body}`);
    await decoys.close();
    assert.deepEqual(usesIn(decoys.lines()), SEEN);
  });

  test(`so it is if the body sent to ${what} comes after the answer`, async () => {
    const decoys = await startDecoys();
    const socket = connect(decoys.port, '127.0.0.1');
    socket.write(`${head}\r\n`);
    await once(socket, 'data');
    socket.end(`${body}GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await once(socket.resume(), 'close');
    await decoys.close();
    assert.deepEqual(usesIn(decoys.lines()), SEEN);
  });

  test(`so it is if the body sent to ${what} comes late and the connection ends`, async () => {
    const decoys = await startDecoys();
    const socket = connect(decoys.port, '127.0.0.1');
    socket.write(`${head}Connection: close\r\nExpect: 100-continue\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.equal(first.toString('latin1'), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    await once(socket.resume(), 'close');
    await decoys.close();
    assert.deepEqual(usesIn(decoys.lines()), SEEN);
  });
}

for (const [what, line, headers] of [
  ['without a host', 'GET / HTTP/1.1', ''],
  ['with an expectation', 'GET / HTTP/1.1', 'Host: x\r\nExpect: x\r\nConnection: close\r\n'],
  ['to connect', 'CONNECT a.invalid:443 HTTP/1.1', 'Host: a.invalid:443\r\n'],
] as const) {
  test(`a honeytoken in a request ${what} is told`, async () => {
    const decoys = await startDecoys();
    await sendBytes(decoys.port, `${line}\r\n${headers}Authorization: Bearer ${TOKEN}\r\n\r\n`);
    await decoys.close();
    assert.deepEqual(
      decoys.lines().map((told) => [told.event, told['honeytoken.received_by']]),
      [['honeytoken_used', '203.0.113.7']],
    );
  });
}

test('who connects and then breaks off, or stays, harms nobody', async () => {
  const decoys = await startDecoys();
  const bytes = 'CONNECT a.invalid:443 HTTP/1.1\r\nHost: a\r\n\r\n';
  const rude = connect(decoys.port, '127.0.0.1');
  rude.write(bytes, () => rude.resetAndDestroy());
  await once(rude, 'close');
  const idle = connect({ port: decoys.port, host: '127.0.0.1', allowHalfOpen: true });
  idle.write(bytes);
  idle.resume();
  await once(idle, 'end');
  assert.equal((await decoys.ask('/v1/models')).status, 200);
  await decoys.close();
  idle.destroy();
});
