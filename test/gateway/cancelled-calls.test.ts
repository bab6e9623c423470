/**
 * Calls that end before their answer: anyone who hangs up or cancels ends the request upstream, too,
 * and leaves an audit line; calls that wait hold up no other.
 */
import assert from 'node:assert/strict';
import { type ClientRequest, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { closureOf, ok, startRawUpstream } from '../support/http/raw-upstream.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';

const upstream = await startRawUpstream();
const target = { description: 'd', timeout: '10s' };
const targets = [
  { ...target, id: 'short', base_url: `${upstream.url}/short`, timeout: '300ms' },
  { ...target, id: 'hops', base_url: `${upstream.url}/hops`, follow_redirects: true },
  { ...target, id: 'raw', base_url: upstream.url },
];
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [{ name: 'alice', targets }],
});
after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

async function assertLivesOn(): Promise<void> {
  upstream.script = (socket) => socket.write(ok('fresh'));
  const { value } = await signedIn.request('alice', { url: `${upstream.url}/next` });
  assert.equal(value.body, 'fresh');
  assert.equal(signedIn.gateway.stderr(), '');
}

describe('many at once', () => {
  test('a hundred stalled calls hold up no other call', async () => {
    upstream.script = () => {};
    const before = signedIn.audits().length;
    const calls = Array.from({ length: 100 }, () => hangingCall(`${upstream.url}/short`));
    await assertHealthy();
    await Promise.all(calls.map(({ answered }) => answered));
    await signedIn.audit(before + 99);
    const codes = signedIn
      .audits()
      .slice(before)
      .map((line) => line.error);
    assert.deepEqual(new Set(codes), new Set(['upstream_timeout']));
    await assertLivesOn();
  });
});

describe('a client that hangs up', () => {
  const rows: [what: string, path: string, script: (socket: Socket, target: string) => void][] = [
    ['before the answer', '/x', () => {}],
    ['in its headers', '/x', (socket) => socket.write(HEAD)],
    ['in its body', '/x', (socket) => socket.write(`${HEAD}Content-Length: 9\r\n\r\nhalf`)],
    [
      'in an endless body',
      '/x',
      (socket) => socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`),
    ],
    [
      'on a later hop',
      '/hops/a',
      (socket, target) => {
        if (target === '/hops/a')
          socket.write(ok('', ['X: y']).replace('200 OK', '302 Found\r\nLocation: /hops/b'));
      },
    ],
  ];
  for (const accept of ['application/json', 'application/json, text/event-stream']) {
    for (const [what, path, script] of rows) {
      test(`${what} (${accept}) ends the request upstream and leaves an audit line`, async () => {
        const { promise: reached, resolve } = Promise.withResolvers<Socket>();
        upstream.script = (socket, { target }) => {
          script(socket, target);
          if (target !== '/hops/a') resolve(socket);
        };
        const before = signedIn.audits().length;
        const call = hangingCall(upstream.url + path, accept);
        const closed = closureOf(await reached);
        call.request.destroy();
        await call.answered;
        const audit = await signedIn.audit(before);
        assert.equal(audit.error, 'cancelled');
        assert.equal(audit.status, 499);
        assert.equal(audit.user, 'alice');
        await closed;
        await assertLivesOn();
      });
    }
  }
});

describe('a client that cancels by a notification', () => {
  test('ends the request upstream and leaves an audit line', async () => {
    const { promise: reached, resolve } = Promise.withResolvers<Socket>();
    upstream.script = (socket) => resolve(socket);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} };
    const opened = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const before = signedIn.audits().length;
    const args = { name: 'http_request', arguments: { url: upstream.url } };
    const call = post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: args }, session);
    const closed = closureOf(await reached);
    const method = 'notifications/cancelled';
    await post({ jsonrpc: '2.0', method, params: { requestId: 2 } }, session);
    assert.equal((await signedIn.audit(before)).error, 'cancelled');
    await closed;
    assert.equal((await call).status, 202);
    await assertLivesOn();
  });
});

/** A call that the test may end early; `answered` settles however it ends. */
function hangingCall(
  url: string,
  accept = 'application/json',
): { request: ClientRequest; answered: Promise<void> } {
  const request = httpRequest(`${signedIn.gateway.url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      accept,
      'content-type': 'application/json',
      authorization: `Bearer ${signedIn.token('alice')}`,
    },
  });
  const params = { name: 'http_request', arguments: { url } };
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const answered = new Promise<void>((resolve) => {
    request.on('response', (response) => response.resume().on('close', resolve));
    request.on('error', () => {});
    request.on('close', resolve);
  });
  return { request, answered };
}

function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${signedIn.gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${signedIn.token('alice')}`,
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

async function assertHealthy(): Promise<void> {
  const response = await fetch(`${signedIn.gateway.url}/healthz`);
  assert.equal(response.status, 200);
}
