import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { util } from 'undici';
import { Redactor } from '../../core/redactor/redactor.ts';
import { Secret } from '../../core/secrets/secret.ts';
import type { Refusal } from '../request/refusal.ts';
import { Deadline } from '../upstream/deadline.ts';
import type { Sink, UpstreamHeaders, UpstreamResponse } from '../upstream/exchange.ts';
import { ResponseBudget } from '../upstream/response-budget.ts';
import { redactResponse } from './redact-response.ts';

const SECRET = 'Kq7#vRzP2mXw9LtYbN4c';
const redactor = redactorOf(SECRET);

function redactorOf(...values: string[]): Redactor {
  return Redactor.of(values.map((value, index) => new Secret(`s${index}`, value)));
}

class FakeResponse implements UpstreamResponse {
  readonly status = 200;
  readonly headers: UpstreamHeaders;
  readonly rawHeaders: readonly Uint8Array[];
  /** How many chunks the sink was given. */
  handed = 0;
  bytesRead = 0;
  discarded = false;
  readonly #chunks: Iterable<string | Uint8Array>;

  constructor(chunks: Iterable<string | Uint8Array>, headers: readonly [string, string][] = []) {
    this.#chunks = chunks;
    this.rawHeaders = headers.flat().map((text) => Buffer.from(text));
    this.headers = util.parseHeaders(this.rawHeaders as Buffer[]);
  }

  async read(sink: Sink): Promise<void> {
    for (const chunk of this.#chunks) {
      const bytes = Buffer.from(chunk as string);
      this.handed += 1;
      this.bytesRead += bytes.length;
      if (!(await sink(bytes))) return;
    }
  }

  takeWhole(): undefined {}

  discard(): void {
    this.discarded = true;
  }
}

const deadline = new Deadline(600_000, { onCancelled: () => {} });
after(() => deadline.end());

const within = (capBytes: number) => ({
  capBytes,
  reservation: new ResponseBudget().reservation('ada', capBytes),
  deadline,
});
const redact = (response: UpstreamResponse, capBytes = 1_000) =>
  redactResponse(response, () => redactor, within(capBytes));

describe('a body', () => {
  test('is redacted however it is split into chunks', async () => {
    for (let size = 1; size <= 30; size++) {
      const text = `..${SECRET}..${SECRET}..`;
      const chunks = text.match(new RegExp(`.{1,${size}}`, 'g'))!;
      const clean = await redact(new FakeResponse(chunks));
      assert.equal(clean.body.toString(), '..[REDACTED]..[REDACTED]..');
      assert.equal(clean.redacted, 2);
    }
  });

  test('is read no further than the cap needs', async () => {
    const endless = new FakeResponse(
      (function* () {
        for (;;) yield '0123456789';
      })(),
    );
    // Of a secret without signs: the spellings of others are longer, and are waited for.
    const plain = redactorOf('Kq7vRzP2mXw9LtYbN4c');
    const clean = await redactResponse(endless, () => plain, within(95));
    assert.ok(endless.handed <= 13, `${endless.handed} chunks`);
    assert.ok(clean.body.length > 95);
  });

  test('is read on while what is at the cap is undecided', async () => {
    const response = new FakeResponse([
      '..',
      SECRET.slice(0, 10),
      SECRET.slice(10),
      '..',
      'unread',
    ]);
    const clean = await redact(response, 5);
    assert.ok(clean.body.length > 5);
    assert.equal(clean.body.toString().slice(0, 12), '..[REDACTED]');
  });

  test('ends with the beginning of a secret as it came', async () => {
    const clean = await redact(new FakeResponse(['..', SECRET.slice(0, -1)]));
    assert.equal(clean.body.toString(), `..${SECRET.slice(0, -1)}`);
  });

  test('that is compressed is redacted in what it says', async () => {
    const encoded = gzipSync(`..${SECRET}`);
    const clean = await redact(new FakeResponse([encoded], [['Content-Encoding', 'gzip']]));
    assert.deepEqual([clean.body.toString(), clean.redacted], ['..[REDACTED]', 1]);
  });

  test('that cannot be decoded is refused, and its connection given up', async () => {
    for (const header of ['Content-Encoding', 'Transfer-Encoding']) {
      const response = new FakeResponse(['..'], [[header, 'compress']]);
      await assert.rejects(redact(response), (error: Refusal) => error.code === 'upstream_error');
      assert.deepEqual([response.discarded, response.handed], [true, 1]);
    }
  });

  test('that is not there is not refused, whatever its headers say: HEAD, 204 and 304', async () => {
    for (const header of [
      ['Content-Encoding', 'aws-chunked'],
      ['Content-Type', 'text/plain; charset=utf-7'],
      ['Content-Range', 'bytes 0-9/100'],
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '12345'],
    ] as [string, string][]) {
      const clean = await redact(new FakeResponse([], [header, ['X-A', SECRET]]));
      const [name, value] = header;
      assert.deepEqual(
        [clean.body.length, { ...clean.headers }],
        [0, { [name.toLowerCase()]: value, 'x-a': '[REDACTED]' }],
      );
    }
  });

  test('that is a part of one in bytes is refused, and its connection given up', async () => {
    const parts: [string, string][] = [
      ['Content-Range', 'bytes 0-9/100'],
      ['content-range', 'Bytes=0-9/*'],
      ['Content-Range', 'items 0-1/2, bytes 0-9/100'],
      ['Content-Type', 'Multipart/ByteRanges; boundary=x'],
    ];
    for (const header of parts) {
      const response = new FakeResponse([SECRET.slice(0, -1)], [header]);
      await assert.rejects(redact(response), (error: Refusal) => error.code === 'upstream_error');
      assert.deepEqual([response.discarded, response.handed], [true, 1], header[1]);
    }
  });

  test('in a charset that is no superset of ASCII is refused', async () => {
    for (const charset of [
      ...['utf-7', 'IBM037', 'cp1047', '"iso-2022-jp"', 'ISO-2022-KR', 'hz-gb-2312', 'UTF-32BE'],
      ...['utf-32', 'x-unknown', 'utf-8;charset=utf-7', 'scsu', "utf-8''x", '__proto__', "'utf-7'"],
    ]) {
      const type = `text/plain; Charset=${charset}`;
      const response = new FakeResponse(['..'], [['Content-Type', type]]);
      await assert.rejects(redact(response), (error: Refusal) => error.code === 'upstream_error');
      assert.deepEqual([response.discarded, response.handed], [true, 1], charset);
    }
  });

  test('in any other charset passes', async () => {
    for (const charset of [
      ...['utf-8', 'UTF8', '"utf-8"', 'utf8mb4', 'us-ascii', 'iso-8859-1', 'latin-1', 'latin1'],
      ...['windows-1252', 'cp1252', 'koi8-r', 'shift_jis', 'gb18030', 'euc-kr', 'big5'],
      ...['utf-16', 'utf-16le', 'UTF-16BE', 'binary', '', '""', ' utf-8 ; boundary=x', "'utf-8'"],
    ]) {
      const type = `text/plain; charset=${charset}`;
      const clean = await redact(new FakeResponse([`.${SECRET}`], [['Content-Type', type]]));
      assert.equal(clean.body.toString(), '.[REDACTED]', charset);
    }
  });

  test('that is a page of items, or says how long the whole would be, passes', async () => {
    for (const range of ['0-24/3573', 'items 0-24/*', 'id a..b; max=200', 'bytes */100']) {
      const clean = await redact(new FakeResponse(['text'], [['Content-Range', range]]));
      assert.equal(clean.body.toString(), 'text', range);
    }
  });
});

describe('while another answer holds all the room', () => {
  const CAP = 1024 * 1024;
  const ENCODERS = new Map<string, (text: string) => Buffer>([
    ['identity', (text) => Buffer.from(text)],
    ['gzip', (text) => gzipSync(text)],
    ['br', (text) => zlib.brotliCompressSync(text)],
    ['zstd', (text) => zlib.zstdCompressSync(text)],
    ['zstd, zstd', (text) => zlib.zstdCompressSync(zlib.zstdCompressSync(text))],
    ['br, gzip', (text) => gzipSync(zlib.brotliCompressSync(text))],
    ['gzip, gzip, gzip', (text) => gzipSync(gzipSync(gzipSync(text)))],
  ]);

  /** A response while another one has reserved the whole budget. */
  async function whileReserved(text: string, encoding: string, over = deadline) {
    const budget = new ResponseBudget(CAP);
    const other = budget.reservation('ada', CAP);
    await other.reserve();
    const reservation = budget.reservation('ada', CAP);
    const encoded = ENCODERS.get(encoding)!(text);
    const response = new FakeResponse([encoded], [['Content-Encoding', encoding]]);
    const context = { capBytes: CAP, reservation, deadline: over };
    return { other, reservation, answer: redactResponse(response, () => redactor, context) };
  }

  for (const encoding of ENCODERS.keys()) {
    const waits = encoding.includes('br') || encoding === 'zstd, zstd';
    test(`a small one ${waits ? 'waits' : 'passes'}: ${encoding}`, async () => {
      const { other, reservation, answer } = await whileReserved('text', encoding);
      if (waits) setTimeout(() => other.release(), 50);
      const { body } = await answer;
      assert.deepEqual([body.toString(), reservation.isGranted], ['text', waits]);
    });

    test(`one that grows large waits, however small it came: ${encoding}`, async () => {
      const text = 'x'.repeat(CAP / 2);
      const { other, reservation, answer } = await whileReserved(text, encoding);
      let isThere = false;
      void answer.then(() => {
        isThere = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.deepEqual([isThere, reservation.isGranted], [false, false]);
      other.release();
      assert.equal((await answer).body.toString(), text);
      assert.equal(reservation.isGranted, true);
    });

    test(`one that waits is refused when its time is over: ${encoding}`, async () => {
      let cancel = () => {};
      const over = new Deadline(600_000, {
        onCancelled: (callback) => {
          cancel = callback;
        },
      });
      const { answer } = await whileReserved('x'.repeat(CAP / 2), encoding, over);
      setImmediate(() => cancel());
      await assert.rejects(answer, (error: Refusal) => error.code === 'cancelled');
      over.end();
    });
  }

  test('one whose time is over before there is room is told so, and what to do', async () => {
    const late = new Deadline(1, { onCancelled: () => {} });
    const { answer } = await whileReserved('x'.repeat(CAP / 2), 'identity', late);
    await assert.rejects(answer, {
      code: 'upstream_timeout',
      message: /response budget; .* try again/,
    });
    late.end();
  });
});

describe('headers', () => {
  const rows: [what: string, headers: [string, string][], shown: Record<string, string>][] = [
    ['have lower-case names', [['X-Some-Name', 'Value']], { 'x-some-name': 'Value' }],
    [
      'that are repeated are joined in their order',
      [
        ['x-a', '1'],
        ['X-A', '2'],
        ['x-b', '3'],
        ['x-a', '4'],
      ],
      { 'x-a': '1, 2, 4', 'x-b': '3' },
    ],
    [
      'never hold cookies',
      [
        ['Set-Cookie', 'a=1'],
        ['SET-COOKIE', 'b=2'],
        ['Set-Cookie2', 'c'],
      ],
      {},
    ],
    ['are clean in their values', [['X-A', `a ${SECRET} b`]], { 'x-a': 'a [REDACTED] b' }],
    ['are clean in their names', [[`X-${SECRET}-Y`, '1']], { 'x-[REDACTED]-y': '1' }],
    [
      'with clean names that became equal are joined',
      [
        [`X-${SECRET}`, '1'],
        [`X-${SECRET.toLowerCase()}`, '2'],
      ],
      { 'x-[REDACTED]': '1, 2' },
    ],
    [
      'may be called like members of every object',
      [
        ['__proto__', SECRET],
        ['constructor', '1'],
      ],
      Object.fromEntries([
        ['__proto__', '[REDACTED]'],
        ['constructor', '1'],
      ]),
    ],
    ['keep text beyond ASCII', [['X-A', 'é😀']], { 'x-a': 'é😀' }],
  ];
  for (const [what, headers, shown] of rows) {
    test(what, async () => {
      const clean = await redact(new FakeResponse([], headers));
      assert.deepEqual({ ...clean.headers }, shown);
    });
  }

  test('are joined before they are redacted, also where redaction made two names one', async () => {
    const name = 'n4c-H8sJdQ5gWv';
    const value = 'first part, second part';
    const both = redactorOf(SECRET, name, value);
    const response = new FakeResponse(
      [],
      [
        [`X-${SECRET}`, 'first part'],
        [`X-${name}`, 'second part'],
        ['X-Twice', 'first part'],
        ['x-twice', 'second part'],
      ],
    );
    const clean = await redactResponse(response, () => both, within(100));
    assert.deepEqual(
      { ...clean.headers },
      { 'x-[REDACTED]': '[REDACTED]', 'x-twice': '[REDACTED]' },
    );
    assert.equal(clean.redacted, 4);
  });

  test('keep names that every object has', async () => {
    const names = ['__proto__', 'constructor', 'tostring'];
    const headers = names.map((name) => [name, `value of ${name}`] as [string, string]);
    const { headers: clean } = await redact(new FakeResponse(['x'], headers));
    assert.deepEqual(Object.entries(clean), headers);
  });

  test('that describe the encoded bytes are gone once these are decoded', async () => {
    const headers: [string, string][] = [
      ['Content-Encoding', 'gzip'],
      ['Content-Length', '20'],
      ['Content-Type', 'text/plain'],
    ];
    const clean = await redact(new FakeResponse([gzipSync('text')], headers));
    assert.deepEqual({ ...clean.headers }, { 'content-type': 'text/plain' });
  });
});

describe('a reload while the answer is under way', () => {
  const FRESH = 'fresh-value-H8sJdQ5g';
  const later = redactorOf(SECRET, FRESH);

  /** The configuration changes before the chunk of this number. */
  function reloading(at: number, chunks: string[], headers: [string, string][] = [], cap = 100) {
    let current = redactor;
    const response = new FakeResponse(
      (function* () {
        for (const [index, chunk] of chunks.entries()) {
          if (index === at) current = later;
          yield chunk;
        }
        if (at >= chunks.length) current = later;
      })(),
      headers,
    );
    return redactResponse(response, () => current, within(cap));
  }

  test('brings values that do not pass either, in body and headers', async () => {
    const chunks = [`${SECRET} ${FRESH.slice(0, 9)}`, FRESH.slice(9), ` ${FRESH}`, SECRET];
    for (let at = 0; at <= chunks.length; at++) {
      const clean = await reloading(at, chunks, [['x-a', FRESH]]);
      assert.equal(clean.body.toString(), '[REDACTED] [REDACTED] [REDACTED][REDACTED]');
      assert.deepEqual({ ...clean.headers }, { 'x-a': '[REDACTED]' });
      assert.equal(clean.redacted, 5);
    }
  });

  test('leaves an answer alone that holds none of them', async () => {
    const chunks = ['text that ends ', `like ${FRESH.slice(0, 6)}`];
    for (let at = 0; at <= chunks.length; at++) {
      assert.equal((await reloading(at, chunks)).body.toString(), chunks.join(''));
    }
  });

  test('leaves no part of one at the cut, and the cap is filled with what comes after', async () => {
    const chunks = ['.'.repeat(95), FRESH.slice(0, 3), FRESH.slice(3), '.'.repeat(50), 'unread'];
    for (let at = 0; at <= 2; at++) {
      const clean = await reloading(at, chunks);
      assert.ok(clean.body.length > 100);
      assert.equal(clean.body.subarray(0, 105).toString(), `${'.'.repeat(95)}[REDACTED]`);
    }
  });
});
