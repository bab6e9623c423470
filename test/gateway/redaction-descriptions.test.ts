/** Headers that describe what the model is not shown: a checksum of it would tell a right guess offline. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  answer,
  chunked,
  closing,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

const SECRET = 'Kq7#vRzP2mXw9LtYbN4c';
const CAP = 1_000;

const bench = await startRedactionBench({
  secrets: { key: SECRET },
  target: { methods: ['GET', 'HEAD', 'POST', 'PUT'], max_response_bytes: CAP },
  before: [{ paths: ['/injected'], methods: ['PUT'], inject: { body: { '$.key': 'a literal' } } }],
});
after(() => bench.close());

/** What servers and stores send: entity tags, checksums and signatures. */
const CHECKSUMS = [
  ...['ETag', 'OC-ETag', 'X-Object-Meta-ETag', 'Content-MD5', 'Digest', 'Content-Digest'],
  ...['Repr-Digest', 'Docker-Content-Digest', 'x-amz-checksum-crc32c', 'x-amz-checksum-sha256'],
  ...['x-amz-checksum-crc64nvme', 'x-amz-meta-md5chksum', 'x-amz-meta-content-md5', 'x-goog-hash'],
  ...['x-ms-blob-content-md5', 'x-ms-content-crc64', 'X-Checksum-Sha1', 'X-Checksum'],
  ...['x-bz-content-sha1', 'x-cos-hash-crc64ecma', 'x-oss-hash-crc64ecma', 'X-Hash', 'X-SHA'],
  ...['Signature', 'Signature-Input', 'X-Hub-Signature-256', 'X-Signature-Ed25519'],
];
const LENGTHS = ['x-goog-stored-content-length', 'x-amz-decoded-content-length'];
const OTHERS = {
  'accept-ranges': 'bytes',
  'last-modified': 'Tue, 17 Nov 2026 10:00:00 GMT',
  'x-amz-version-id': 'v1',
  'cache-control': 'no-cache',
  'x-orange-crate': '1',
};

function linesFor(body: string): string[] {
  const sum = createHash('sha256').update(body).digest('hex');
  return [
    ...CHECKSUMS.map((name) => `${name}: ${sum}`),
    ...LENGTHS.map((name) => `${name}: ${body.length}`),
    ...Object.entries(OTHERS).map(([name, value]) => `${name}: ${value}`),
  ];
}

const without = (names: readonly string[], shown: { headers: object }) =>
  Object.keys(shown.headers).filter((name) => names.some((other) => other.toLowerCase() === name));

describe('when something was removed from the body', () => {
  const body = `before ${SECRET} after`;
  for (const [what, script] of [
    ['as it came', answer(body, linesFor(body))],
    ['in chunks', chunked([body], linesFor(body))],
    ['compressed', answer(gzipSync(body), ['Content-Encoding: gzip', ...linesFor(body)])],
  ] as const) {
    test(`nothing that describes the original is left: ${what}`, async () => {
      const shown = await bench.ask(script);
      assert.equal(shown.body, 'before [REDACTED] after');
      const { 'transfer-encoding': _, ...headers } = shown.headers;
      assert.deepEqual(headers, OTHERS);
    });
  }

  test('also in a part that was cut', async () => {
    const long = `${'.'.repeat(CAP)}${SECRET}`;
    const shown = await bench.ask(answer(long, linesFor(long)));
    assert.deepEqual([shown.truncated, shown.body], [true, '.'.repeat(CAP)]);
    assert.deepEqual(shown.headers, OTHERS);
  });

  test('also beside a header that was cleaned, and in headers whose names were', async () => {
    const lines = [`X-Echo: ${SECRET}`, `X-${SECRET}-MD5: 1`];
    const shown = await bench.ask(answer(body, [...lines, ...linesFor(body)]));
    assert.deepEqual(shown.headers, { ...OTHERS, 'x-echo': '[REDACTED]' });
  });
});

describe('when the model does not see all of the body', () => {
  test('no checksum of it is left, behind a cut that nothing was read beyond', async () => {
    const long = '.'.repeat(200_000) + SECRET;
    const shown = await bench.ask(answer(long, linesFor(long)));
    assert.equal(shown.truncated, true);
    assert.deepEqual(without(CHECKSUMS, shown), []);
    assert.equal(shown.headers['content-length'], String(long.length));
  });

  test('nor in the answer to a HEAD, which an upstream makes of the same body', async () => {
    const body = `before ${SECRET} after`;
    const shown = await bench.ask(
      (socket) => {
        const lines = ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...linesFor(body)];
        socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      },
      { method: 'HEAD' },
    );
    assert.deepEqual(without(CHECKSUMS, shown), []);
    assert.equal(shown.headers['content-length'], String(body.length));
  });

  test('nor in a 304, which If-None-Match: * asks for', async () => {
    const lines = ['HTTP/1.1 304 Not Modified', ...linesFor(SECRET)];
    const shown = await bench.ask(closing(`${lines.join('\r\n')}\r\n\r\n`), {
      headers: { 'If-None-Match': '*' },
    });
    assert.deepEqual([shown.status, without(CHECKSUMS, shown)], [304, []]);
  });

  test('nor where the body that it describes is one with an injected field', async () => {
    const url = `${bench.upstream.url}/injected`;
    const shown = await bench.ask(answer('', linesFor('{}')), { url, method: 'PUT', body: '{}' });
    assert.deepEqual([shown.status, without(CHECKSUMS, shown)], [200, []]);
  });
});

describe('when the model is shown what the upstream sent', () => {
  test('every header stays', async () => {
    const body = 'nothing to remove';
    const shown = await bench.ask(answer(body, linesFor(body)));
    assert.equal(shown.body, body);
    assert.equal(Object.keys(shown.headers).length, linesFor(body).length + 1);
  });

  test('the checksum of an upload stays', async () => {
    const shown = await bench.ask(answer('', ['ETag: "a"']), { method: 'PUT', body: 'x' });
    assert.deepEqual(shown.headers, { etag: '"a"', 'content-length': '0' });
  });

  test('of a cleaned header the body is not touched, but a signature may cover both', async () => {
    const lines = [`X-Echo: ${SECRET}`, 'ETag: "a"', 'Signature: sig1=:YQ==:'];
    const shown = await bench.ask(answer('body', lines));
    assert.deepEqual(shown.headers, {
      'x-echo': '[REDACTED]',
      etag: '"a"',
      'content-length': '4',
    });
  });
});
