/** Bytes that no client of ours would send to the public port: each is answered or closed, and the gateway lives on. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { startGateway } from '../support/gateway/gateway.ts';

const gateway = await startGateway({ config: 'users: [{name: alice, password: password}]' });
after(() => gateway.stop());

/** Sends bytes, ends, and gives what came back until the connection closed. */
async function send(bytes: string | Buffer): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.end(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function alive(): Promise<void> {
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
}

const get = (rest: string) => `GET /healthz HTTP/1.1\r\nHost: x\r\n${rest}\r\n`;
const post = (rest: string) => `POST /token HTTP/1.1\r\nHost: x\r\n${rest}`;

/** What a client may be told: a refusal, or nothing. */
const REFUSED = /^(HTTP\/1\.1 (4\d\d|50[135]) |$)/;

const hostile: [what: string, bytes: string | Buffer, answer?: RegExp][] = [
  ['another protocol version', 'GET / HTTP/1337\r\n\r\n'],
  ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS greeting', Buffer.from('160301020001000001fc0303', 'hex')],
  ['random bytes', randomBytes(4_096)],
  ['NUL bytes', Buffer.alloc(4_096)],
  ['a request line without end', 'A'.repeat(200_000)],
  ['100 KB of headers', get(`X-Long: ${'a'.repeat(100_000)}\r\n`), /^HTTP\/1\.1 431 |^$/],
  ['10,000 headers', get('X: y\r\n'.repeat(10_000)), /^HTTP\/1\.1 431 |^$/],
  ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a proxy request', 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an absolute URL', 'GET http://169.254.169.254/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  [
    'an upgrade',
    `GET /mcp HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['two hosts', get('HOST: y\r\n'), /^HTTP\/1\.1 400 .*the Host header is given twice/s],
  ['the same host twice', get('Host: x\r\n'), /^HTTP\/1\.1 400 /],
  [
    'two hosts in HTTP/1.0',
    'GET /healthz HTTP/1.0\r\nHost: x\r\nhost: y\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'two hosts at /mcp',
    'POST /mcp HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n{}',
    /^HTTP\/1\.1 400 .*the Host header is given twice/s,
  ],
  ['two lengths', post('Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc')],
  ['a length and chunks', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')],
  ['a negative length', post('Content-Length: -1\r\n\r\n')],
  ['a length beyond numbers', post('Content-Length: 99999999999999999999\r\n\r\n')],
  ['a bad chunk', post('Transfer-Encoding: chunked\r\n\r\nzz\r\n')],
  ['a folded header', get('X-A: a\r\n b\r\n')],
  ['a bare line feed in a header', get('X-A: a\nX-B: b\r\n')],
  ['a bad percent sign', 'GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['an encoded NUL', 'GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a path of 30 KB', `GET /${'a'.repeat(30_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['traversal', 'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['__proto__ as JSON', jsonPost('{"__proto__": {"x": 1}, "redirect_uris": 5}')],
  ['deep JSON', jsonPost('['.repeat(50_000))],
];
for (const [what, bytes, answer = REFUSED] of hostile) {
  test(`${what} is refused, and the gateway lives on`, async () => {
    const text = await send(bytes);
    assert.match(text, answer);
    assert.doesNotMatch(text, /node_modules|at .*\.(ts|js):\d+/);
    await alive();
  });
}

test('a hundred requests in one write are answered in order', async () => {
  const text = await send(get('').repeat(100));
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 100);
  await alive();
});

test('a hundred connections that say nothing keep nobody else out', async () => {
  const sockets = Array.from({ length: 100 }, () => connect(gateway.port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await alive();
  for (const socket of sockets) socket.destroy();
});

test('nothing of all this was an error of the gateway, and every line of the log is one', async () => {
  await alive();
  assert.deepEqual(
    gateway.lines().filter(({ level, event }) => level === 'error' || event === 'internal_error'),
    [],
  );
  assert.equal(gateway.stderr(), '');
});

function jsonPost(body: string): string {
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return `POST /register HTTP/1.1\r\n${head}\r\n\r\n${body}`;
}
