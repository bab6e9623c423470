/** Half an answer may end in half a secret, so a broken answer is not shown at all. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import {
  answer,
  closing,
  fragmentsOf,
  type Shown,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

const SECRET = 'Kq7#vRzP2mXw9LtYbN4c';

const bench = await startRedactionBench({
  secrets: { key: SECRET },
  before: [{ paths: ['/short'], timeout: '200ms' }],
});
after(() => bench.close());

function assertWithheld(shown: Shown, why: string, code = 'upstream_error'): void {
  assert.equal(shown.error, code, why);
  for (const part of ['beginning', ...fragmentsOf(SECRET, 5)]) {
    assert.ok(!shown.raw.includes(part), `${why}: ${shown.raw}`);
  }
}

const FRAMINGS: Record<string, string[]> = {
  'a declared length': ['Content-Length: 200'],
  'a declared length and a closing connection': ['Content-Length: 200', 'Connection: close'],
  chunks: ['Transfer-Encoding: chunked'],
  'chunks and a closing connection': ['Transfer-Encoding: chunked', 'Connection: close'],
};
const ENDS: Record<string, (socket: Socket) => void> = {
  closes: (socket) => socket.end(),
  'is reset': (socket) => socket.resetAndDestroy(),
};

/** Breaks off once this much of the secret has been sent. */
function brokenAnswer(headers: string[], sent: number, end: (socket: Socket) => void) {
  const size = headers.join().includes('chunked') ? 'c8\r\n' : '';
  const text = `${size}beginning ${SECRET.slice(0, sent)}`;
  return (socket: Socket) => {
    socket.write(['HTTP/1.1 200 OK', ...headers, '', text].join('\r\n'), () => end(socket));
  };
}

describe('an answer that breaks off in mid-secret is withheld', () => {
  for (const [framing, headers] of Object.entries(FRAMINGS)) {
    for (const [how, end] of Object.entries(ENDS)) {
      test(`when it has ${framing} and the connection ${how}`, async () => {
        for (const sent of [1, 10, SECRET.length - 1, SECRET.length]) {
          const shown = await bench.ask(brokenAnswer(headers, sent, end));
          assertWithheld(shown, `${sent} characters sent`);
        }
      });
    }
  }

  test('when it has no length and the connection is reset', async () => {
    for (const headers of [[], ['Connection: close']]) {
      for (const sent of [1, 10, SECRET.length - 1]) {
        const script = brokenAnswer(headers, sent, ENDS['is reset']!);
        assertWithheld(await bench.ask(script), `${sent} characters sent`);
      }
    }
  });

  test('when its last chunk is whole and only the end is missing', async () => {
    const part = `beginning ${SECRET.slice(0, 12)}`;
    const text = `${part.length.toString(16)}\r\n${part}\r\n`;
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    assertWithheld(await bench.ask(closing(head, text)), 'no last chunk');
    assertWithheld(await bench.ask(closing(head, text, '0\r\n')), 'no end of trailers');
  });

  test('when it stops and the time is over', async () => {
    const script = brokenAnswer(['Content-Length: 200'], 12, () => {});
    const shown = await bench.ask(script, { url: `${bench.upstream.url}/short` });
    assertWithheld(shown, 'no more came', 'upstream_timeout');
  });
});

describe('a length that is not true', () => {
  const rows: [string, string, string][] = [
    ['two lengths', 'Content-Length: 9\r\nContent-Length: 12', 'beginning'],
    [
      'a length and chunks',
      'Content-Length: 9\r\nTransfer-Encoding: chunked',
      '9\r\nbeginning\r\n0\r\n\r\n',
    ],
    ['chunks, then something else', 'Transfer-Encoding: chunked', '9\r\nbeginning\r\nzz\r\n'],
    ['a length that is no number', 'Content-Length: 9x', 'beginning'],
    ['a negative length', 'Content-Length: -1', 'beginning'],
  ];
  for (const [what, headers, body] of rows) {
    test(`withholds the answer: ${what}`, async () => {
      const shown = await bench.ask(closing(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`));
      assertWithheld(shown, what);
    });
  }

  test('shows no byte beyond a length that is too short, not even in the next answer', async () => {
    const smuggled = `HTTP/1.1 200 OK\r\nContent-Length: ${SECRET.length}\r\n\r\n${SECRET}`;
    const first = await bench.ask((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext${smuggled}`);
    });
    assert.equal(first.body, 'text');
    const second = await bench.ask(answer('second'));
    assert.equal(second.body, 'second');
    assert.ok(![first, second].some((shown) => shown.raw.includes(SECRET.slice(0, 5))));
  });
});

test('what is not HTTP is withheld', async () => {
  const rows = [
    `beginning ${SECRET}\r\n`,
    `HTTP/1.1 200 OK\r\nX Y: ${SECRET}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nX: ${SECRET}\r\n ${SECRET}\r\n\r\nbeginning`,
    `HTTP/1.1 200 OK\r\nX: ${SECRET}\0\r\n\r\nbeginning`,
    `HTTP/1.1 200 OK\nX: ${SECRET}\rY: z\n\nbeginning`,
    `HTTP/1.7 200 OK\r\n\r\nbeginning ${SECRET}`,
    `HTTP/1.1 20 ${SECRET}\r\n\r\nbeginning`,
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${SECRET}\r\nConnection: upgrade\r\n\r\n${SECRET}`,
    `HTTP/1.1 100 Continue\r\nX: ${SECRET}\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbeginning`,
    `HTTP/1.1 200 OK\r\nX: ${'.'.repeat(70_000)}${SECRET}\r\n\r\nbeginning`,
    '',
  ];
  for (const bytes of rows) assertWithheld(await bench.ask(closing(bytes)), bytes.slice(0, 60));
});

describe('a part of an answer, which nobody asked for, is withheld', () => {
  for (const headers of [
    ['Content-Range: bytes 0-28/200'],
    ['Content-Type: multipart/byteranges; boundary=x'],
  ]) {
    test(headers[0]!, async () => {
      const shown = await bench.ask(answer(`beginning ${SECRET.slice(0, -1)}`, headers));
      assertWithheld(shown, 'a part');
    });
  }

  const partial = 'HTTP/1.1 206 Partial Content';
  for (const [what, headers] of [
    ['206 and no range', []],
    ['206 and no range that could be given', ['Content-Range: bytes */200']],
    ['206 and an empty range', ['Content-Range:']],
  ] as const) {
    test(what, async () => {
      const shown = await bench.ask(answer(`beginning ${SECRET.slice(0, -1)}`, headers, partial));
      assertWithheld(shown, 'a part');
    });
  }

  test('but not a page of items, as PostgREST and Heroku number them', async () => {
    for (const range of ['0-24/3573', 'id a..b/200']) {
      const shown = await bench.ask(answer('[1]', [`Content-Range: ${range}`], partial));
      assert.deepEqual([shown.status, shown.body], [206, '[1]']);
    }
  });
});
