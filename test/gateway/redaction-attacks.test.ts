/** Ways in which an upstream, or a model together with one, might get a secret past the redactor. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  answer,
  chunked,
  closing,
  fragmentsOf,
  type Shown,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';

const SECRET = 'Kq7"vRzP/2mXw9\\Lt+YbN4c';
const ACCENTS = 'pässwörd-éàü';
const M = '[REDACTED]';

const bench = await startRedactionBench({
  secrets: { key: SECRET, accents: ACCENTS },
  target: { methods: ['GET', 'POST'], inject: { headers: { 'X-Key': '${key}' } } },
  before: [{ paths: ['/hop/**'], follow_redirects: true }],
});
after(() => bench.close());

function assertClean(shown: Shown): void {
  const decoded = shown.bytes.toString('latin1');
  for (const secret of [SECRET, ACCENTS]) {
    for (const piece of fragmentsOf(secret, 8)) {
      for (const text of [shown.raw, shown.body, decoded, JSON.stringify(shown.headers)]) {
        assert.ok(!text.toLowerCase().includes(piece.toLowerCase()), `${piece} in ${text}`);
      }
    }
  }
}

describe('another charset', () => {
  const rows: Record<string, Buffer> = {
    'Latin-1': Buffer.from(`(${ACCENTS})`, 'latin1'),
    'UTF-16 with a byte order mark': Buffer.from(`\ufeff(${SECRET})(${ACCENTS})`, 'utf16le'),
    'UTF-16 with the other one': Buffer.from(`\ufeff(${SECRET})(${ACCENTS})`, 'utf16le').swap16(),
    'UTF-16 at an odd offset': Buffer.concat([
      Buffer.from('x'),
      Buffer.from(`(${SECRET})`, 'utf16le'),
    ]),
    'UTF-16 within UTF-8': Buffer.concat([
      Buffer.from('é '),
      Buffer.from(`(${SECRET})`, 'utf16le'),
      Buffer.from(' é'),
    ]),
    'UTF-8 within broken UTF-8': Buffer.concat([
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from(`${SECRET}${ACCENTS}`),
      Buffer.from([0xe2]),
    ]),
    'decomposed UTF-8': Buffer.from(`(${ACCENTS.normalize('NFD')})`),
  };
  for (const [charset, bytes] of Object.entries(rows)) {
    test(`does not hide it: ${charset}`, async () => {
      const shown = await bench.ask(answer(bytes, ['Content-Type: text/plain; charset=utf-8']));
      assertClean(shown);
      const narrow = shown.bytes.toString('latin1').replaceAll('\0', '');
      for (const piece of fragmentsOf(SECRET, 5)) assert.ok(!narrow.includes(piece), narrow);
      assert.ok(narrow.includes(M));
    });
  }
});

describe('nesting', () => {
  const json = (value: unknown) => JSON.stringify(value);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const rows: Record<string, string> = {
    'JSON in JSON': json({ a: json({ b: SECRET }) }),
    'JSON in a URL in JSON': json({ next: `/?q=${encodeURIComponent(json({ k: SECRET }))}` }),
    'JSON in base64': base64(json({ user: 'x', key: SECRET })),
    'a token of base64url parts': `${base64('{}')}.${Buffer.from(json({ k: SECRET })).toString('base64url')}.x`,
    'a part of a multipart body': `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(SECRET)}\r\n--b--`,
    'Basic credentials': json({ authorization: `Basic ${base64(`user:${SECRET}`)}` }),
    'a data URL': `<img src="data:;base64,${encodeURIComponent(base64(`<b>${SECRET}</b>`))}">`,
    'a curl command': `curl -H 'X-Key: ${SECRET}' "https://h/?k=${encodeURIComponent(SECRET)}"`,
    'an event stream': `data: ${json({ k: SECRET })}\n\ndata: ${SECRET}\n\n`,
  };
  for (const [what, text] of Object.entries(rows)) {
    test(`does not hide it: ${what}`, async () => {
      const shown = await bench.ask(answer(text));
      assert.ok(shown.body.includes(M), shown.body);
      assertClean(shown);
      for (const encoded of fragmentsOf(base64(SECRET).slice(4, -4), 12)) {
        assert.ok(!shown.body.includes(encoded), shown.body);
      }
    });
  }
});

describe('lines', () => {
  const rows: Record<string, (base64: string) => string> = {
    'a file as GitHub gives it': (base64) =>
      JSON.stringify({ encoding: 'base64', content: base64.replace(/.{60}/g, '$&\n') }),
    'a part of a mail': (base64) => base64.replace(/.{76}/g, '$&\r\n'),
    'a block of YAML': (base64) => `data: |\n${base64.replace(/.{1,64}/g, '    $&\n')}`,
  };
  for (const [what, written] of Object.entries(rows)) {
    test(`do not hide it: ${what}`, async () => {
      for (let before = 60; before < 100; before++) {
        const file = Buffer.from(`${'#'.repeat(before)}key = ${SECRET}${'#'.repeat(100)}`);
        const { body } = await bench.ask(answer(written(file.toString('base64'))));
        assert.equal(body.split(M).length, 2, body);
        const joined = body.replaceAll(/\\[rn]|\s/g, '');
        for (const pad of ['', '#', '##']) {
          const encoded = Buffer.from(`${pad}${SECRET}`).toString('base64').slice(4, -4);
          for (const piece of fragmentsOf(encoded, 12)) assert.ok(!joined.includes(piece), body);
        }
      }
    });
  }
});

describe('the wire', () => {
  test('of HTTP/1.0, with and without a length', async () => {
    for (const head of [
      'HTTP/1.0 200 OK\r\n\r\n',
      'HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n',
    ]) {
      const shown = await bench.ask(closing(head, `(${SECRET})`));
      assert.equal(shown.body, `(${M})`);
    }
  });

  test('with chunk sizes in every spelling', async () => {
    const half = Math.floor(SECRET.length / 2);
    const [first, second] = [SECRET.slice(0, half), SECRET.slice(half)];
    const hex = (text: string) => text.length.toString(16);
    const shown = await bench.ask(
      closing(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: ChUnKeD\r\n\r\n',
        `000${hex(first).toUpperCase()}\r\n${first}\r\n${hex(second)};x="y"\r\n${second}\r\n000\r\n\r\n`,
      ),
    );
    assert.equal(shown.body, M);
  });

  test('with a body where none belongs', async () => {
    for (const status of ['204 No Content', '304 Not Modified']) {
      const shown = await bench.ask(
        closing(`HTTP/1.1 ${status}\r\nContent-Length: ${SECRET.length}\r\n\r\n${SECRET}`),
      );
      assertClean(shown);
    }
    assert.equal((await bench.ask(answer('next'))).body, 'next');
  });

  test('with a second answer before the next request', async () => {
    const one = `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1`;
    const two = `HTTP/1.1 200 OK\r\nX-Echo: ${SECRET}\r\nContent-Length: ${SECRET.length}\r\n\r\n${SECRET}`;
    const first = await bench.ask((socket) => socket.write(one + two));
    const next = await bench.ask(answer('3'));
    assert.deepEqual([first.body, next.body], ['1', '3']);
    for (const shown of [first, next]) assertClean(shown);
  });

  test('with headers just below the limit', async () => {
    const shown = await bench.ask(answer('', [`X-Long: ${'.'.repeat(60_000)}${SECRET}`]));
    assert.equal(shown.headers['x-long'], `${'.'.repeat(60_000)}${M}`);
  });

  test('with compression that is declared oddly', async () => {
    for (const header of [
      'Content-Encoding: GZip',
      'content-encoding:gzip',
      'CONTENT-ENCODING: \tgzip \t',
    ]) {
      const shown = await bench.ask(answer(gzipSync(SECRET), [header]));
      assert.equal(shown.body, M, header);
    }
  });
});

describe('redirects', () => {
  test('in a circle end after five hops, with nothing of the secret', async () => {
    const before = bench.upstream.received.length;
    const location = `Location: /hop/2?k=${encodeURIComponent(SECRET)}`;
    const shown = await bench.ask(answer(SECRET, [location], 'HTTP/1.1 302 Found'), {
      url: `${bench.upstream.url}/hop/1`,
    });
    assert.deepEqual([shown.status, shown.headers.location, shown.body], [302, `/hop/2?k=${M}`, M]);
    assert.equal(bench.upstream.received.length - before, 6);
    assertClean(shown);
  });
});

describe('a model that works together with an upstream', () => {
  test('cannot have its own text make a secret of what is left', async () => {
    for (const text of [
      `${SECRET.slice(0, 8)}${SECRET}${SECRET.slice(8)}`,
      `${SECRET.slice(0, 8)}${ACCENTS}${SECRET.slice(8)}`,
      `${encodeURIComponent(SECRET).slice(0, 9)}${SECRET}${encodeURIComponent(SECRET).slice(9)}`,
    ]) {
      const shown = await bench.ask(chunked(text));
      assert.ok(!shown.body.includes(SECRET), shown.body);
      assert.ok(shown.body.includes(M));
    }
  });

  test('learns nothing from a guess that is not the whole value', async () => {
    const guesses = Array.from({ length: SECRET.length - 1 }, (_, index) => [
      SECRET.slice(0, index + 1),
      SECRET.slice(index + 1),
    ]).flat();
    for (const [index, guess] of guesses.entries()) {
      const url = `${bench.upstream.url}/guess/${index}`;
      const shown = await bench.ask(answer(guess), { url, method: 'POST', body: guess });
      assert.deepEqual([shown.body, shown.truncated], [guess, false]);
      const audit = await bench.signedIn.gateway.line((line) => line.url === url, 'its audit line');
      assert.equal(audit.redacted, 0);
    }
  });
});
