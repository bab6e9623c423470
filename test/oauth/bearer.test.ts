/** The `Authorization` header: what is let in, and what the answer says to everything else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { signedIn, startServer, type TestServer } from './support.ts';

let server: TestServer;
let token: string;
let clientId: string;
before(async () => {
  server = await startServer();
  const one = await signedIn(server);
  token = one.tokens.access_token;
  clientId = one.clientId;
});
after(() => server.close());

for (const method of ['GET', 'POST', 'DELETE']) {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    test(`${method} with "${scheme}" and a valid token is let in as its one user`, async () => {
      const headers = { authorization: `${scheme} ${token}` };
      const response = await fetch(`${server.url}/mcp`, { method, headers });
      const signInId = token.slice(0, 24);
      assert.deepEqual(await response.json(), {
        ...{ user: 'ada', incarnation: 'ada-1', clientId, signInId },
      });
    });
  }
}

const refused: [string, (token: string) => string[], boolean][] = [
  ['no header', () => [], false],
  ['another scheme', (token) => [`Authorization: Basic ${token}`], false],
  ['the token alone', (token) => [`Authorization: ${token}`], false],
  ['an empty token', () => ['Authorization: Bearer '], false],
  ['a token that never was', () => [`Authorization: Bearer ${'x'.repeat(92)}`], true],
  ['one character more', (token) => [`Authorization: Bearer ${token}x`], true],
  ['one character changed', (token) => [`Authorization: Bearer ${flip(token)}`], true],
  [
    'two tokens in one header',
    (token) => [`Authorization: Bearer ${token}, Bearer ${token}`],
    true,
  ],
  [
    'the header twice, the valid one first',
    (token) => [`Authorization: Bearer ${token}`, 'authorization: Bearer x'],
    true,
  ],
  ['a token of 20,000 characters', () => [`Authorization: Bearer ${'x'.repeat(20_000)}`], true],
];
for (const [name, headers, wasPresented] of refused) {
  test(`401 for ${name}`, async () => {
    const { status, head, body } = await rawRequest('/mcp', headers(token));
    assert.equal(status, 401);
    assert.equal(JSON.parse(body).error, 'unauthorized');
    const challenge = /^www-authenticate: (.*)$/im.exec(head)?.[1] ?? '';
    assert.match(challenge, /^Bearer realm="Gatehouse gateway", resource_metadata="([^"]+)"/);
    assert.ok(challenge.includes(`"${server.url}/.well-known/oauth-protected-resource/mcp"`));
    assert.equal(challenge.includes('error="invalid_token"'), wasPresented);
  });
}

test('a token in the query string is not a token', async () => {
  const response = await fetch(`${server.url}/mcp?access_token=${token}`, { method: 'POST' });
  assert.equal(response.status, 401);
  assert.doesNotMatch(response.headers.get('www-authenticate') ?? '', /invalid_token/);
});

test('a token in the body is not a token', async () => {
  const body = new URLSearchParams({ access_token: token });
  const response = await fetch(`${server.url}/mcp`, { method: 'POST', body });
  assert.equal(response.status, 401);
});

test('the answer comes before the body is read', async () => {
  const { status } = await rawRequest('/mcp', ['Content-Length: 1000000'], 'POST');
  assert.equal(status, 401);
});

function flip(text: string): string {
  return text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A');
}

async function rawRequest(path: string, headers: readonly string[], method = 'GET') {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
    if (method === 'POST') socket.destroy();
  });
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(head.split(' ')[1]), head, body };
}

test('the 401 names the scope that a client needs, and no offline_access', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const response = await fetch(`${server.url}/mcp`);
  assert.match(response.headers.get('www-authenticate') ?? '', /, scope="mcp"$/);
});
