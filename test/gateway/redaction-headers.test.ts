/** A secret that comes back in anything but the body. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  answer,
  chunked,
  closing,
  fragmentsOf,
  type Shown,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

const SECRET = 'Kq7#vRzP2mXw9LtYbN4c';
const COMMA = 'Hjd8sGt5, w3FcVa6n';
const ACCENTS = 'pässwörd-éàü';

const bench = await startRedactionBench({
  secrets: { key: SECRET, comma: COMMA, accents: ACCENTS },
  target: { methods: ['GET', 'HEAD'] },
  before: [{ paths: ['/hop/**'], follow_redirects: true }],
});
after(() => bench.close());

function assertClean(shown: Shown): void {
  const text = shown.raw.toLowerCase();
  for (const secret of [SECRET, COMMA, ACCENTS]) {
    for (const part of fragmentsOf(secret.toLowerCase(), 8)) {
      assert.ok(!text.includes(part), `${part} is left: ${shown.raw}`);
    }
  }
}

describe('a secret is removed', () => {
  const rows: [where: string, lines: string[], name: string, value: string][] = [
    ['from a header', [`X-Echo: a ${SECRET} b`], 'x-echo', 'a [REDACTED] b'],
    ['from the name of a header', [`X-${SECRET}: v`], 'x-[REDACTED]', 'v'],
    ['from a header in upper case', [`X-Echo: ${SECRET.toUpperCase()}`], 'x-echo', '[REDACTED]'],
    [
      'from each of repeated headers',
      [`X-Echo: 1 ${SECRET}`, 'X-Other: 2', `x-echo: 3 ${SECRET}`],
      'x-echo',
      '1 [REDACTED], 3 [REDACTED]',
    ],
    [
      'that repeated headers make up between them',
      [`X-Echo: ${COMMA.split(', ')[0]}`, `X-ECHO: ${COMMA.split(', ')[1]}`],
      'x-echo',
      '[REDACTED]',
    ],
    [
      'from Location',
      [`Location: https://else.where/?key=${encodeURIComponent(SECRET)}#${SECRET}`],
      'location',
      'https://else.where/?key=[REDACTED]#[REDACTED]',
    ],
    [
      'from a challenge',
      [`WWW-Authenticate: Basic realm="${Buffer.from(`u:${SECRET}!`).toString('base64')}"`],
      'www-authenticate',
      'Basic realm="dTp[REDACTED]yE="',
    ],
    [
      'from a header that is JSON',
      [
        `X-Echo: {"a":${JSON.stringify(ACCENTS).replace(/[^ -~]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)}}`,
      ],
      'x-echo',
      '{"a":"[REDACTED]"}',
    ],
    ['from a header in UTF-8', [`X-Echo: ${ACCENTS}`], 'x-echo', '[REDACTED]'],
    [
      'from a Link',
      [`Link: </next?key=${SECRET.replace('#', '%23')}>; rel="next"`],
      'link',
      '</next?key=[REDACTED]>; rel="next"',
    ],
    [
      'from a header with an empty neighbour',
      ['X-Echo:', `x-echo: ${SECRET}`],
      'x-echo',
      ', [REDACTED]',
    ],
  ];
  for (const [where, lines, name, value] of rows) {
    test(where, async () => {
      const shown = await bench.ask(answer('body', lines));
      assert.equal(shown.headers[name], value);
      assert.equal(shown.body, 'body');
      assertClean(shown);
    });
  }

  test('from a header in Latin-1', async () => {
    const shown = await bench.ask((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nX-Echo: ${ACCENTS}\r\nContent-Length: 0\r\n\r\n`, 'latin1');
    });
    assert.equal(shown.headers['x-echo'], '[REDACTED]');
    assertClean(shown);
  });

  test('from a header whose bytes arrive one by one', async () => {
    const bytes = Buffer.from(
      `HTTP/1.1 200 OK\r\nX-${SECRET}: ${ACCENTS}\r\nContent-Length: 0\r\n\r\n`,
    );
    const shown = await bench.ask(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of bytes) {
        await new Promise((sent) => socket.write(Buffer.of(byte), sent));
        await new Promise(setImmediate);
      }
    });
    assert.deepEqual(shown.headers, { 'x-[REDACTED]': '[REDACTED]', 'content-length': '0' });
  });

  test('from the headers of an answer without a body', async () => {
    const lines = [`X-Echo: ${SECRET}`];
    for (const [script, method] of [
      [answer('', lines), 'GET'],
      [answer('', lines), 'HEAD'],
      [closing(`HTTP/1.1 204 No Content\r\n${lines[0]}\r\n\r\n`), 'GET'],
      [closing(`HTTP/1.1 304 Not Modified\r\n${lines[0]}\r\n\r\n`), 'GET'],
      [closing(`HTTP/1.0 404 Not Found\r\n${lines[0]}\r\n\r\n`), 'GET'],
    ] as const) {
      const shown = await bench.ask(script, { method });
      assert.deepEqual([shown.headers['x-echo'], shown.body], ['[REDACTED]', '']);
      assertClean(shown);
    }
  });

  test('with every header of many', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `X-${index}: ${index} ${SECRET}`);
    const shown = await bench.ask(answer('', lines));
    for (const index of lines.keys())
      assert.equal(shown.headers[`x-${index}`], `${index} [REDACTED]`);
    assertClean(shown);
  });
});

describe('what the model is never shown', () => {
  test('is a reason phrase', async () => {
    const shown = await bench.ask(answer('body', [], `HTTP/1.1 418 ${SECRET}`));
    assert.deepEqual([shown.status, shown.body], [418, 'body']);
    assertClean(shown);
  });

  test('is a trailer, a chunk extension or an informational answer', async () => {
    const trailer = await bench.ask(chunked(['body'], ['Trailer: X-Echo'], [`X-Echo: ${SECRET}`]));
    const extension = await bench.ask(
      closing(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;e=${SECRET}\r\nbody\r\n0\r\n\r\n`,
      ),
    );
    const early = await bench.ask(
      closing(
        `HTTP/1.1 103 Early Hints\r\nLink: <${SECRET}>\r\n\r\n`,
        'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody',
      ),
    );
    for (const shown of [trailer, extension, early]) {
      assert.equal(shown.body, 'body');
      assert.deepEqual([shown.headers['x-echo'], shown.headers.link], [undefined, undefined]);
      assertClean(shown);
    }
  });

  test('is a cookie', async () => {
    const shown = await bench.ask(answer('', ['Set-Cookie: session=abc', 'set-cookie: other=def']));
    assert.deepEqual(shown.headers, { 'content-length': '0' });
  });
});

describe('a redirect that is followed', () => {
  test('shows nothing of the hops before the last', async () => {
    const shown = await bench.ask(
      (socket, { target }) => {
        const script =
          target === '/hop/1'
            ? answer(
                SECRET,
                [`Location: /hop/2?k=${encodeURIComponent(SECRET)}`, `X-Hop: ${SECRET}`],
                'HTTP/1.1 302 Found',
              )
            : answer(`you asked for ${target}`);
        script(socket, bench.upstream.received.at(-1)!);
      },
      { url: `${bench.upstream.url}/hop/1` },
    );
    assert.equal(shown.body, 'you asked for /hop/2?k=[REDACTED]');
    assert.equal(shown.headers['x-hop'], undefined);
    assertClean(shown);
  });

  test('to nowhere, outside or in a circle shows no secret either', async () => {
    for (const location of [
      `/hop/${encodeURIComponent(SECRET)}`,
      `https://else.where/${SECRET}`,
      `//${SECRET.replace('#', '')}/`,
      `http://[${SECRET}`,
      `/hop/%zz${SECRET}`,
    ]) {
      const found = answer(SECRET, [`Location: ${location}`], 'HTTP/1.1 307 Moved');
      const shown = await bench.ask(found, { url: `${bench.upstream.url}/hop/1` });
      assertClean(shown);
      if (location.startsWith('/hop/K')) assert.equal(shown.headers.location, '/hop/[REDACTED]');
      else assert.equal(shown.error, 'redirect_out_of_scope');
    }
  });
});
