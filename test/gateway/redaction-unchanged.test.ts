/** What is no secret is not touched: bodies come through byte for byte. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  answer,
  chunked,
  closing,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';
import { AWKWARD } from '../support/gateway/secret-forms.ts';

const SHORT = 'seven77';

const bench = await startRedactionBench({
  secrets: { ...AWKWARD, short: SHORT },
  target: { methods: ['GET', 'HEAD', 'POST'] },
});
after(() => bench.close());

describe('text comes through as it is', () => {
  const rows: Record<string, string> = {
    nothing: '',
    'plain text': 'just some text\nin lines\r\n',
    'JSON with big numbers': '{"n": 12345678901234567890, "e": 1e400, "a" : [ ] }',
    'accents, scripts and emoji': 'é ü ß Ж 密 😀 \u{10ffff}',
    'a byte order mark': '\ufefftext',
    'NUL and control characters': 'a\0b\u0001\u001b[31m\u007f',
    'line separators and bidirectional marks': 'a\u2028b\u2029c\u202ed',
    'something that looks redacted': '[REDACTED] [redacted] [REDACTE [REDACTED',
    'decomposed text': 'e\u0301 '.repeat(10),
    'escapes of any kind': '\\u0041 %41 &#65; \\x41 =41 &amp;amp; %2541',
    'a secret that is too short': `before ${SHORT} after`,
  };
  for (const [what, text] of Object.entries(rows)) {
    test(what, async () => {
      for (const script of [
        answer(text),
        chunked([...Buffer.from(text)].map((byte) => Buffer.of(byte))),
      ]) {
        const shown = await bench.ask(script);
        assert.deepEqual([shown.body, shown.encoding, shown.truncated], [text, undefined, false]);
      }
    });
  }
});

describe('what is not text comes through as base64', () => {
  const rows: Record<string, Buffer> = {
    'every byte': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
    'an image': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'one odd byte in text': Buffer.from('text \xff text', 'latin1'),
    'Latin-1': Buffer.from('caf\xe9', 'latin1'),
    'an unfinished character': Buffer.from([0x61, 0xe2, 0x82]),
    'an overlong character': Buffer.from([0xc0, 0xaf]),
    'a surrogate': Buffer.from([0xed, 0xa0, 0x80]),
    'a compressed file': gzipSync('a file that nobody declared as encoded'),
    'random bytes': randomBytes(100_000),
  };
  for (const [what, bytes] of Object.entries(rows)) {
    test(what, async () => {
      const shown = await bench.ask(answer(bytes));
      assert.equal(shown.encoding, 'base64');
      assert.ok(shown.bytes.equals(bytes));
    });
  }
});

test('random text and bytes come through in random chunks', async () => {
  // The unit "binary" is the same, but writes a table of a million characters first.
  const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
  const body = fc.oneof(
    fc.string({ unit: character }).map((text) => Buffer.from(text.toWellFormed())),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 6 }), async (pieces) => {
      const shown = await bench.ask(chunked(pieces.filter((piece) => piece.length > 0)));
      assert.ok(shown.bytes.equals(Buffer.concat(pieces)));
    }),
    { numRuns: 100 },
  );
});

test('headers come through as they are', async () => {
  const shown = await bench.ask(
    answer('x', [
      'ETag: W/"a"',
      'X-Empty:',
      'X-Text: é 密 "quoted" \\ %41 [REDACTED]',
      'x-ETAG: 1',
    ]),
  );
  assert.deepEqual(shown.headers, {
    etag: 'W/"a"',
    'x-empty': '',
    'x-text': 'é 密 "quoted" \\ %41 [REDACTED]',
    'x-etag': '1',
    'content-length': '1',
  });
});

describe('an answer without a body', () => {
  test('to HEAD keeps the headers that describe it', async () => {
    const shown = await bench.ask(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 123\r\nContent-Type: text/plain\r\n\r\n');
      },
      { method: 'HEAD' },
    );
    assert.deepEqual(
      [shown.status, shown.body, shown.truncated, shown.headers],
      [200, '', false, { 'content-length': '123', 'content-type': 'text/plain' }],
    );
  });

  for (const status of ['204 No Content', '304 Not Modified', '205 Reset Content']) {
    test(`is whole: ${status}`, async () => {
      const shown = await bench.ask(closing(`HTTP/1.1 ${status}\r\nX-Note: "a"\r\n\r\n`));
      assert.deepEqual(
        [shown.status, shown.body, shown.headers],
        [Number.parseInt(status, 10), '', { 'x-note': '"a"' }],
      );
    });
  }
});
