/** Secrets that share text, near misses without number, and splits at any byte. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  answer,
  chunked,
  fragmentsOf,
  type RedactionBench,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

const SHORT = 'Kq7vRzP2mXw9';
const LONG = `${SHORT}LtYbN4cHjd8s`;
const TAIL = 'cHjd8sGt5w3F';
const UNICODE = 'ключ-pässwörd-🔑-密码';
const PERIODIC = 'zuzuzuzu';
const BRACKET = '<<[secret-w1th-brackets]>>';

const SECRETS = {
  short: SHORT,
  long: LONG,
  tail: TAIL,
  unicode: UNICODE,
  periodic: PERIODIC,
};
const M = '[REDACTED]';

const bench = await startRedactionBench({ secrets: SECRETS });
after(() => bench.close());

describe('secrets that share text are removed wholly', () => {
  const rows: [what: string, text: string, shown: string][] = [
    ['one that begins another', `(${SHORT})`, `(${M})`],
    ['the other', `(${LONG})`, `(${M})`],
    ['the first, and a part of the rest', `(${SHORT}LtYb)`, `(${M}LtYb)`],
    ['one that ends where another goes on', `(${LONG}Gt5w3F)`, `(${M})`],
    ['one after the other', `(${SHORT}${SHORT}${LONG})`, `(${M}${M}${M})`],
    ['one within itself', `(${'zu'.repeat(500)})`, `(${M})`],
    ['one that repeats and is cut', `(${'zu'.repeat(7)}z)`, `(${M}z)`],
  ];
  for (const [what, text, shown] of rows) {
    test(what, async () => {
      assert.equal((await bench.ask(answer(text))).body, shown);
      assert.equal((await bench.ask(chunked(text))).body, shown);
    });
  }

  test('one wrapped around another leaves no secret when the inner one is gone', async () => {
    for (const outer of [SHORT, LONG, TAIL]) {
      for (const inner of [SHORT, PERIODIC]) {
        for (let at = 1; at < outer.length; at++) {
          const text = outer.slice(0, at) + inner + outer.slice(at);
          const { body } = await bench.ask(answer(text));
          for (const secret of [outer, inner]) assert.ok(!body.includes(secret), body);
        }
      }
    }
  });
});

describe('a marker never completes a secret', () => {
  let odd: RedactionBench;
  const secrets = { a: 'ends with [REDACTED', b: '] begins', c: '[REDACTED]', d: BRACKET };

  before(async () => {
    odd = await startRedactionBench({ secrets: { ...secrets, key: SHORT } });
  });
  after(() => odd.close());

  test('also when secrets look like it', async () => {
    for (const text of [
      `ends with ${SHORT}`,
      `${SHORT} begins`,
      `ends with [RED${SHORT}ACTED`,
      '[REDACTED]',
      `${BRACKET}${SHORT}${BRACKET}`,
    ]) {
      const { body } = await odd.ask(answer(text));
      for (const secret of Object.values(secrets)) {
        assert.ok(!body.includes(secret), `${JSON.stringify(secret)} in ${body}`);
      }
      assert.ok(!body.includes(SHORT));
    }
  });
});

describe('near misses do not wear the redaction out', () => {
  const misses: Record<string, string> = {
    'that lack the last character': `${LONG.slice(0, -1)}.`,
    'that lack the first character': `.${LONG.slice(1)}`,
    'that differ in the middle': `${SHORT.slice(0, 6)}_${SHORT.slice(7)}`,
    'of one repeated beginning': SHORT.slice(0, 4),
    'of a periodic secret': 'zuzuzuz.',
  };
  for (const [what, miss] of Object.entries(misses)) {
    test(`ten thousand ${what}`, async () => {
      const noise = miss.repeat(10_000);
      const { body } = await bench.ask(answer(`${noise}<${LONG}>${TAIL}`));
      const clean = redactedNoise(noise);
      assert.ok(body === `${clean}<${M}>${M}`, `${body.slice(0, 80)}…${body.slice(-80)}`);
    });
  }

  test('and ten thousand hits are ten thousand markers', async () => {
    const { body } = await bench.ask(answer(`${LONG},`.repeat(10_000)));
    assert.ok(body === `${M},`.repeat(10_000));
    await bench.signedIn.gateway.line((line) => line.redacted === 10_000, 'their number');
  });

  /** Some near misses hold another secret whole; those are gone, of course. */
  function redactedNoise(noise: string): string {
    return noise.replaceAll(TAIL, M).replaceAll(LONG, M).replaceAll(SHORT, M);
  }
});

describe('a secret split over chunks is removed', () => {
  test('at every place, a UTF-8 character included', async () => {
    const bytes = Buffer.from(`(${UNICODE})`);
    for (let at = 1; at < bytes.length; at++) {
      const { body } = await bench.ask(chunked([bytes.subarray(0, at), bytes.subarray(at)]));
      assert.equal(body, `(${M})`);
    }
  });

  test('byte by byte, in chunks of the framing', async () => {
    const text = `(${UNICODE}) é (${LONG}) 🔑 (${UNICODE})`;
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.of(byte));
    assert.equal((await bench.ask(chunked(bytes))).body, `(${M}) é (${M}) 🔑 (${M})`);
  });

  test('byte by byte, in segments of the connection', async () => {
    const bytes = Buffer.from(`(${UNICODE}) ${SHORT}`);
    const { body } = await bench.ask(async (socket) => {
      socket.setNoDelay(true);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      for (const byte of bytes) {
        await new Promise((sent) => socket.write(Buffer.of(byte), sent));
        await new Promise(setImmediate);
      }
    });
    assert.equal(body, `(${M}) ${M}`);
  });

  test('in UTF-16, cut within a code unit', async () => {
    for (const swap of [false, true]) {
      const bytes = Buffer.from(`(${UNICODE})`, 'utf16le');
      if (swap) bytes.swap16();
      const shown = await bench.ask(chunked([...bytes].map((byte) => Buffer.of(byte))));
      const left = shown.bytes.filter((byte) => byte !== 0).toString();
      assert.equal(left, `(${M})`);
    }
  });
});

test('no part of a long secret is left by an answer that is all of it', async () => {
  const { body } = await bench.ask(answer(`${UNICODE}${LONG}${TAIL}${PERIODIC}`.repeat(50)));
  for (const secret of Object.values(SECRETS)) {
    for (const part of fragmentsOf(secret, 5)) assert.ok(!body.includes(part), part);
  }
});
