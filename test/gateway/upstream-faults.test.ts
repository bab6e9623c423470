/**
 * Upstreams that misbehave. Whatever they send, or fail to send, the call ends with the right
 * code, nothing of one answer reaches the next, and the gateway serves the next call.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import {
  answerOk,
  closureOf,
  ok,
  type Script,
  startRawUpstream,
} from '../support/http/raw-upstream.ts';
import { makeCertificates, startTlsFront } from '../support/http/tls-front.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { freePort } from '../support/programs/free-port.ts';

const CAP = 100_000;
const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

const certificates = makeCertificates();

const upstream = await startRawUpstream();
const plain = await startUpstream();
const closedPort = await freePort();
const fronts = {
  good: await startTlsFront(upstream.port, certificates.good),
  selfSigned: await startTlsFront(upstream.port, certificates.selfSigned),
  expired: await startTlsFront(upstream.port, certificates.expired),
  otherHost: await startTlsFront(upstream.port, certificates.otherHost),
};
const target = (id: string, base_url: string, rest: object = {}) => ({
  id,
  description: id,
  base_url,
  methods: ['GET', 'HEAD'],
  timeout: '10s',
  ...rest,
});
const signedIn = await startSignedIn(
  {
    server: { allow_networks: ['127.0.0.0/8'], max_response_bytes: CAP },
    users: [
      {
        name: 'alice',
        targets: [
          target('short', `${upstream.url}/short`, { timeout: '300ms' }),
          target('raw', upstream.url),
          target('closed', `http://127.0.0.1:${closedPort}`),
          target('plain', `https://127.0.0.1:${plain.port}`),
          ...Object.entries(fronts).map(([id, { url }]) => target(id, url)),
        ],
      },
    ],
  },
  { NODE_EXTRA_CA_CERTS: certificates.authorityPath },
);

beforeEach(() => {
  upstream.script = answerOk;
  upstream.received.length = 0;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
  await plain.close();
  for (const front of Object.values(fronts)) front.close();
  certificates.remove();
});

async function assertLivesOn(): Promise<void> {
  upstream.script = (socket) => socket.write(ok('fresh'));
  const { value } = await signedIn.request('alice', { url: `${upstream.url}/next` });
  assert.equal(value.status, 200);
  assert.equal(value.body, 'fresh');
  assert.equal(signedIn.gateway.stderr(), '');
}

/** Writes for as long as anyone takes it. */
function writeForever(socket: Socket, piece: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** Ends the answer there and then, after what is written. */
function send(text: string): Script {
  return (socket) => socket.end(text);
}

/** Leaves the connection open after what is written. */
function hold(text: string): Script {
  return (socket) => socket.write(text);
}

function reset(text = ''): Script {
  return (socket) => socket.write(text || ' ', () => socket.resetAndDestroy());
}

describe('upstream_error for an upstream that', () => {
  const rows: [what: string, script: Script][] = [
    ['sends garbage', hold('\u0000\u0001\u0002 no HTTP at all \r\n\r\n')],
    ['speaks another protocol', hold('SSH-2.0-OpenSSH_9.9\r\n')],
    ['sends HTML alone', send('<html></html>')],
    ['has a status that is no number', hold('HTTP/1.1 two OK\r\n\r\n')],
    ['has a version that is none', hold('HTTP/9.9 200 OK\r\n\r\n')],
    ['closes without a word', send('')],
    ['resets', (socket) => socket.resetAndDestroy()],
    ['resets in its headers', reset(`${HEAD}X-Half: a`)],
    ['resets in its body', reset(`${HEAD}Content-Length: 100\r\n\r\nhalf`)],
    ['breaks off in its status', send('HTTP/1.1 20')],
    ['breaks off in its headers', send(`${HEAD}Content-Le`)],
    ['breaks off before its body', send(`${HEAD}Content-Length: 5\r\n\r\n`)],
    ['breaks off in its body', send(`${HEAD}Content-Length: 5\r\n\r\nhalf`)],
    ['breaks off in a chunk', send(`${CHUNKED}a\r\nhalf`)],
    ['breaks off between chunks', send(`${CHUNKED}4\r\nfull\r\n`)],
    ['breaks off in a chunk size', send(`${CHUNKED}4\r\nfull\r\n1`)],
    ['breaks off before the last line', send(`${CHUNKED}4\r\nfull\r\n0\r\n`)],
    ['has a chunk size that is no number', hold(`${CHUNKED}xyz\r\n`)],
    ['has a chunk size beyond all numbers', hold(`${CHUNKED}${'f'.repeat(17)}\r\n`)],
    ['has a chunk longer than its size', hold(`${CHUNKED}2\r\nlonger\r\n0\r\n\r\n`)],
    ['has a negative length', hold(`${HEAD}Content-Length: -5\r\n\r\nabcde`)],
    ['has a length that is no number', hold(`${HEAD}Content-Length: five\r\n\r\nabcde`)],
    ['has two lengths', hold(`${HEAD}Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde`)],
    [
      'has a length and chunks',
      hold(`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
    ['has NUL in a header', hold(`${HEAD}X-Odd: a\0b\r\nContent-Length: 0\r\n\r\n`)],
    ['has a bare CR in a header', hold(`${HEAD}X-Odd: a\rb\r\nContent-Length: 0\r\n\r\n`)],
    ['has a header without a name', hold(`${HEAD}: nameless\r\nContent-Length: 0\r\n\r\n`)],
    ['has one header of 1 MiB', hold(`${HEAD}X-Long: ${'x'.repeat(1_048_576)}\r\n\r\n`)],
    [
      'has headers without end',
      (socket) => {
        socket.write(HEAD);
        writeForever(socket, `X-More: ${'x'.repeat(1_000)}\r\n`);
      },
    ],
    ['switches protocols unasked', hold('HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n')],
    ['continues unasked', hold('HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'has trailers without end',
      (socket) => {
        socket.write(`${CHUNKED}0\r\n`);
        writeForever(socket, `X-More: ${'x'.repeat(1_000)}\r\n`);
      },
    ],
  ];
  for (const [what, script] of rows) {
    test(what, async () => {
      upstream.script = script;
      const { isError, value, audit } = await signedIn.request('alice', { url: upstream.url });
      assert.equal(isError, true);
      assert.equal(value.error, 'upstream_error');
      assert.equal(value.status, 502);
      assert.equal(audit.error, 'upstream_error');
      assert.equal(audit.status, 502);
      await assertLivesOn();
    });
  }

  test('does not listen', async () => {
    const { value } = await signedIn.request('alice', { url: `http://127.0.0.1:${closedPort}/` });
    assert.equal(value.error, 'upstream_error');
    assert.match(String(value.message), /refused the connection/);
  });

  for (const id of ['selfSigned', 'expired', 'otherHost'] as const) {
    test(`has a certificate that is ${id}, which it is told`, async () => {
      const { value } = await signedIn.request('alice', { url: fronts[id].url });
      assert.equal(value.error, 'upstream_error');
      assert.match(String(value.message), /TLS/);
      assert.equal(upstream.received.length, 0);
    });
  }

  test('speaks plain HTTP where TLS is expected', async () => {
    const url = `https://127.0.0.1:${plain.port}/`;
    const { value } = await signedIn.request('alice', { url });
    assert.equal(value.error, 'upstream_error');
    assert.match(String(value.message), /TLS/);
    assert.equal(plain.received.length, 0);
  });

  test('and a good certificate is accepted', async () => {
    const { value } = await signedIn.request('alice', { url: fronts.good.url });
    assert.equal(value.status, 200);
  });
});

describe('the audit line counts the bytes of body that came', () => {
  const packed = gzipSync('x'.repeat(1_000)).toString('latin1');
  const gzip = (body: string) => `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  const rows: [what: string, path: string, head: string, body: string, status: number][] = [
    ['where the body breaks off', '/', 'Content-Length: 5\r\n\r\n', 'half', 502],
    ['where it stalls', '/short', 'Content-Length: 5\r\n\r\n', 'half', 504],
    ['where it is not what it says', '/', gzip('no gzip'), 'no gzip', 502],
    ['as they came, where they are compressed', '/', gzip(packed), packed, 200],
    ['where it cannot be read', '/', 'Content-Encoding: other\r\n\r\n', 'x', 502],
    ['where there is none to read', '/', 'Content-Encoding: other\r\n\r\n', '', 200],
  ];
  for (const [what, path, head, body, status] of rows) {
    test(what, async () => {
      upstream.script = (socket) => {
        socket.write(`${HEAD}${head}${body}`, 'latin1');
        if (path === '/') socket.end();
      };
      const { audit } = await signedIn.request('alice', { url: `${upstream.url}${path}` });
      assert.deepEqual([audit.status, audit.bytes], [status, body.length]);
    });
  }
});

describe('upstream_timeout for an upstream that', () => {
  const rows: [what: string, script: Script][] = [
    ['never answers', () => {}],
    ['stalls in its headers', hold(`${HEAD}X-Half: a`)],
    ['stalls before its body', hold(`${HEAD}Content-Length: 5\r\n\r\n`)],
    ['stalls in its body', hold(`${HEAD}Content-Length: 5\r\n\r\nhalf`)],
    ['stalls in a chunk', hold(`${CHUNKED}a\r\nhalf`)],
    ['never ends its chunks', hold(`${CHUNKED}4\r\nfull\r\n`)],
    ['never closes', hold('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody')],
    [
      'drips',
      (socket) => {
        socket.write(CHUNKED);
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
    [
      'gives hints without end',
      (socket) => writeForever(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
    ],
  ];
  for (const [what, script] of rows) {
    test(what, async () => {
      let closed: Promise<unknown> | undefined;
      upstream.script = (socket, request) => {
        closed = closureOf(socket);
        script(socket, request);
      };
      const { value, audit } = await signedIn.request('alice', { url: `${upstream.url}/short` });
      assert.equal(value.error, 'upstream_timeout');
      assert.equal(value.status, 504);
      assert.equal(audit.error, 'upstream_timeout');
      await closed;
      await assertLivesOn();
    });
  }
});

describe('a result from an upstream that', () => {
  const rows: [what: string, method: string, script: Script, expected: object][] = [
    [
      'hints before it answers',
      'GET',
      hold(`HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Wait\r\n\r\n${ok('real')}`),
      { status: 200, body: 'real', truncated: false },
    ],
    ['speaks HTTP/1.0', 'GET', send('HTTP/1.0 200 OK\r\n\r\nold'), { status: 200, body: 'old' }],
    [
      'has no reason phrase',
      'GET',
      hold('HTTP/1.1 299\r\nContent-Length: 0\r\n\r\n'),
      { status: 299 },
    ],
    ['ends its body by closing', 'GET', send(`${HEAD}\r\nall`), { status: 200, body: 'all' }],
    [
      'has chunks with extensions',
      'GET',
      hold(`${CHUNKED}3;x=y\r\nabc\r\n0\r\n\r\n`),
      { body: 'abc' },
    ],
    ['has trailers', 'GET', hold(`${CHUNKED}3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n`), { body: 'abc' }],
    [
      'sends a length to HEAD',
      'HEAD',
      hold(`${HEAD}Content-Length: 5\r\n\r\n`),
      { status: 200, body: '' },
    ],
    ['sends a body to HEAD', 'HEAD', hold(ok('none')), { status: 200, body: '' }],
    [
      'sends a body with 204',
      'GET',
      hold('HTTP/1.1 204 No\r\n\r\nbody'),
      { status: 204, body: '' },
    ],
    [
      'sends more than its length',
      'GET',
      hold(`${HEAD}Content-Length: 3\r\n\r\nabcdef`),
      { body: 'abc' },
    ],
    ['sends two answers', 'GET', hold(ok('first') + ok('second')), { body: 'first' }],
    [
      'answers before the request is read',
      'GET',
      hold(`${HEAD}Content-Length: 2\r\nConnection: close\r\n\r\nhi`),
      { status: 200, body: 'hi' },
    ],
  ];
  for (const [what, method, script, expected] of rows) {
    test(what, async () => {
      upstream.script = script;
      const { isError, value } = await signedIn.request('alice', { url: upstream.url, method });
      assert.equal(isError, false, JSON.stringify(value));
      for (const [field, wanted] of Object.entries(expected)) assert.equal(value[field], wanted);
      await assertLivesOn();
    });
  }

  for (const head of [`${HEAD}\r\n`, `${HEAD}Content-Length: 999999999999\r\n\r\n`]) {
    test(`never ends (${head.split('\r\n')[1] || 'no length'}) and is hung up on`, async () => {
      let closed: Promise<unknown> | undefined;
      upstream.script = (socket) => {
        closed = closureOf(socket);
        socket.write(head);
        writeForever(socket, 'x'.repeat(16_384));
      };
      const { value, audit } = await signedIn.request('alice', { url: upstream.url });
      assert.equal(value.status, 200);
      assert.equal(value.body, 'x'.repeat(CAP));
      assert.equal(value.truncated, true);
      assert.equal(audit.truncated, true);
      await closed;
      await assertLivesOn();
    });
  }

  test('fills the cap and stalls: what there is is given', async () => {
    upstream.script = hold(`${HEAD}\r\n${'x'.repeat(CAP + 1)}`);
    const { value } = await signedIn.request('alice', { url: `${upstream.url}/short` });
    assert.equal(value.body, 'x'.repeat(CAP));
    assert.equal(value.truncated, true);
  });

  test('closes a kept-alive connection between two calls', async () => {
    upstream.script = (socket) => socket.write(ok('one'), () => socket.end());
    for (let i = 0; i < 3; i++) {
      const { value } = await signedIn.request('alice', { url: upstream.url });
      assert.equal(value.body, 'one');
    }
  });
});

describe('an answer that is refused for its headers', () => {
  test('is hung up on, though its body has not ended', async () => {
    let closed: Promise<unknown> | undefined;
    upstream.script = (socket) => {
      closed = closureOf(socket);
      socket.write(`${HEAD}Content-Encoding: unheard-of\r\n\r\nhalf`);
    };
    const { value } = await signedIn.request('alice', { url: upstream.url });
    assert.equal(value.error, 'upstream_error');
    await closed;
  });
});

describe('after all this', () => {
  test('the gateway has failed nowhere', () => {
    const faults = signedIn.gateway.lines().filter((line) => line.level === 'error');
    assert.deepEqual(faults, []);
  });
});
