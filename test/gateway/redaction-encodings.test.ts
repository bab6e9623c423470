/** A secret hidden by compression, and bodies that expand without end. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import * as zlib from 'node:zlib';
import { ENCODING_PAIRS } from '../support/encoding-pairs.ts';
import {
  answer,
  chunked,
  closing,
  type Shown,
  startRedactionBench,
} from '../support/gateway/redaction-bench.ts';
import { closureOf } from '../support/http/raw-upstream.ts';
import { memoryKib } from '../support/programs/process.ts';

const SECRET = 'Kq7#vRzP2mXw9LtYbN4c';
const TEXT = `before ${SECRET} after`;
const CLEAN = 'before [REDACTED] after';
const CAP = 1_048_576;

const bench = await startRedactionBench({
  secrets: { key: SECRET },
  target: { max_response_bytes: CAP },
});
after(() => bench.close());

const gzip = (data: zlib.InputType) => zlib.gzipSync(data);
/** The best quality, which is the default, takes a hundred times as long. */
const QUICK_BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const ENCODERS: Record<string, (data: zlib.InputType) => Buffer> = {
  gzip,
  'x-gzip': gzip,
  deflate: (data) => zlib.deflateSync(data),
  br: (data) => zlib.brotliCompressSync(data, QUICK_BROTLI),
  zstd: (data) => zlib.zstdCompressSync(data),
};
const CODINGS: [header: string, encode: (data: zlib.InputType) => Buffer][] = [
  ...Object.entries(ENCODERS),
  ['deflate', (data) => zlib.deflateRawSync(data)],
  ['GZIP', gzip],
  [' identity , gzip', gzip],
  ['gzip, identity', gzip],
  [',gzip,', gzip],
  ['gzip, gzip', (data) => gzip(gzip(data))],
  ['gzip, gzip, gzip', (data) => gzip(gzip(gzip(data)))],
  ['br, gzip', (data) => gzip(ENCODERS.br!(data))],
  ['zstd, deflate', (data) => ENCODERS.deflate!(ENCODERS.zstd!(data))],
];

function assertWithheld(shown: Shown, why: string): void {
  assert.equal(shown.error, 'upstream_error', why);
  assert.equal(shown.body, '');
  for (const part of ['before', 'after', SECRET]) assert.ok(!shown.raw.includes(part));
}

describe('a compressed answer is redacted as the model would read it', () => {
  for (const [header, encode] of CODINGS) {
    test(`when it is "${header}"`, async () => {
      const encoded = encode(TEXT);
      for (const script of [
        answer(encoded, [`Content-Encoding: ${header}`]),
        chunked(
          [...encoded].map((byte) => Buffer.of(byte)),
          [`Content-Encoding: ${header}`],
        ),
      ]) {
        const shown = await bench.ask(script);
        assert.equal(shown.body, CLEAN);
        assert.equal(shown.headers['content-encoding'], undefined);
        assert.equal(shown.headers['content-length'], undefined);
      }
    });
  }

  test('when the encodings stand in two headers', async () => {
    const shown = await bench.ask(
      answer(gzip(ENCODERS.br!(TEXT)), ['Content-Encoding: br', 'content-encoding: gzip']),
    );
    assert.equal(shown.body, CLEAN);
  });

  test('when the secret is split between two members of a gzip file', async () => {
    const members = [gzip(`before ${SECRET.slice(0, 9)}`), gzip(`${SECRET.slice(9)} after`)];
    const shown = await bench.ask(answer(Buffer.concat(members), ['Content-Encoding: gzip']));
    assert.equal(shown.body, CLEAN);
  });

  test('when the secret lies across the blocks in which a decoder gives its output', async () => {
    for (const block of [16_384, 32_768, 65_536]) {
      for (const [header, encode] of Object.entries(ENCODERS)) {
        const padding = '.'.repeat(block - 7);
        const encoded = encode(`${padding}${SECRET}.`);
        const shown = await bench.ask(answer(encoded, [`Content-Encoding: ${header}`]));
        assert.equal(shown.body, `${padding}[REDACTED].`, `${header} at ${block}`);
      }
    }
  });
});

test('every ordered pair of encodings of a secret is redacted', async () => {
  for (const { name, encode } of ENCODING_PAIRS) {
    const encoded = encode(Buffer.from(SECRET));
    const shown = await bench.ask(
      answer(Buffer.concat([Buffer.from('<'), encoded, Buffer.from('>')])),
    );
    assert.equal(shown.error, undefined, name);
    // What the last character of base64 shares with its neighbours stays.
    assert.match(shown.bytes.toString('latin1'), /^<.{0,6}\[REDACTED\].{0,12}>$/s, name);
  }
});

describe('an answer that cannot be decoded is withheld', () => {
  for (const header of [
    'compress',
    'utf-8',
    'constructor',
    '__proto__',
    'toString',
    'gzip;q=1',
    '"gzip"',
    'gzip gzip',
    'gzip, secret',
  ]) {
    test(`when its encoding is "${header}"`, async () => {
      assertWithheld(await bench.ask(answer(TEXT, [`Content-Encoding: ${header}`])), header);
    });
  }

  for (const header of ['gzip, chunked', 'gzip', 'chunked, gzip', 'deflate, chunked']) {
    test(`when it is compressed in transfer as "${header}"`, async () => {
      const head = `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${header}\r\n\r\n`;
      const body = header.includes('deflate') ? zlib.deflateSync(TEXT) : gzip(TEXT);
      const size = `${body.length.toString(16)}\r\n`;
      const framed = header.endsWith('chunked') ? [size, body, '\r\n0\r\n\r\n'] : [body];
      const shown = await bench.ask(closing(head, ...framed));
      assertWithheld(shown, header);
      assert.ok(!shown.raw.includes(body.toString('base64').slice(0, 12)));
    });
  }

  test('when its bytes are damaged, and nothing of what came before the damage is shown', async () => {
    const long = `${TEXT} ${'before '.repeat(20_000)}`;
    for (const [header, encode] of Object.entries(ENCODERS)) {
      const encoded = encode(long);
      for (const [damage, body] of [
        ['cut short', encoded.subarray(0, -5)],
        ['cut to its head', encoded.subarray(0, 2)],
        ['not encoded at all', Buffer.from(TEXT)],
      ] as const) {
        const shown = await bench.ask(answer(body, [`Content-Encoding: ${header}`]));
        assertWithheld(shown, `${header} ${damage}`);
      }
    }
    // The last bytes of these two are checksums of all that came before.
    for (const [header, fromEnd] of [
      ['gzip', 6],
      ['deflate', 2],
    ] as const) {
      const altered = ENCODERS[header]!(long);
      altered[altered.length - fromEnd]! ^= 0xff;
      const shown = await bench.ask(answer(altered, [`Content-Encoding: ${header}`]));
      assertWithheld(shown, `${header} altered`);
    }
  });

  test('when it has more than three layers', async () => {
    const body = gzip(gzip(gzip(gzip(TEXT))));
    const script = answer(body, ['Content-Encoding: gzip, gzip, gzip, gzip']);
    assertWithheld(await bench.ask(script), 'four layers');
  });

  test('when an inner layer is cut short', async () => {
    const body = gzip(gzip(TEXT).subarray(0, -4));
    assertWithheld(await bench.ask(answer(body, ['Content-Encoding: gzip, gzip'])), 'inner');
    assertWithheld(
      await bench.ask(closing('HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n', body)),
      'inner, until the connection closes',
    );
  });

  test('and its connection is given up at once', async () => {
    let closed: Promise<unknown> | undefined;
    const shown = await bench.ask((socket) => {
      closed = closureOf(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\nunread');
    });
    assertWithheld(shown, 'compress');
    await closed;
  });

  test('unless there is nothing to decode', async () => {
    const shown = await bench.ask(answer('', ['Content-Encoding: gzip']));
    assert.deepEqual([shown.status, shown.body, shown.truncated], [200, '', false]);
  });
});

describe('a body that expands without end', () => {
  // JSON writes a zero with six characters: the dearest answer there is, so one bomb is of zeros.
  const zeros = Buffer.alloc(4 * CAP);
  const letters = Buffer.alloc(4 * CAP, 'x');
  const zipped = gzip(letters);
  const BOMBS: Record<string, Buffer> = {
    gzip: gzip(zeros),
    'gzip, gzip': gzip(zipped),
    'gzip, gzip, gzip': gzip(gzip(zipped)),
    deflate: ENCODERS.deflate!(letters),
    br: ENCODERS.br!(letters),
    zstd: ENCODERS.zstd!(letters),
  };

  for (const [header, bomb] of Object.entries(BOMBS)) {
    test(`fills the cap and is cancelled when it is "${header}"`, async () => {
      const before = memoryKib(bench.signedIn.gateway.pid, 'VmHWM');
      let closed: Promise<unknown> | undefined;
      const shown = await bench.ask((socket) => {
        closed = closureOf(socket);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${header}\r\n\r\n`);
        const pour = () => {
          while (!socket.destroyed && socket.write(bomb));
        };
        socket.on('drain', pour);
        pour();
      });
      assert.deepEqual([shown.body.length, shown.truncated], [CAP, true]);
      await closed;
      const grown = memoryKib(bench.signedIn.gateway.pid, 'VmHWM') - before;
      assert.ok(grown < 128 * 1024, `memory grew by ${grown} KiB`);
    });
  }
});

test('a million tiny chunks cost memory near the cap', async () => {
  const before = memoryKib(bench.signedIn.gateway.pid, 'VmHWM');
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const shown = await bench.ask(closing(head, '1\r\nx\r\n'.repeat(CAP), '0\r\n\r\n'));
  assert.equal(shown.body.length, CAP);
  const grown = memoryKib(bench.signedIn.gateway.pid, 'VmHWM') - before;
  assert.ok(grown < 128 * 1024, `memory grew by ${grown} KiB`);
});

describe('the model cannot ask for compression', () => {
  test('whatever the spelling of the header', async () => {
    for (const name of ['Accept-Encoding', 'accept_encoding', 'TE', 'Range', 'If-Range']) {
      const shown = await bench.ask(answer('x'), { headers: { [name]: 'gzip' } });
      assert.equal(shown.error, 'reserved_header', name);
    }
  });

  test('and the gateway asks for none', async () => {
    await bench.ask(answer('x'));
    const asked = bench.upstream.received
      .at(-1)!
      .headers.filter((line) => /encoding|^te:/i.test(line));
    assert.deepEqual(asked, ['accept-encoding: identity']);
  });
});

describe('an answer in another charset', () => {
  test('cannot be asked for', async () => {
    const rows: [header: Record<string, string>, refusal: string][] = [
      [{ 'Accept-Charset': 'utf-32' }, 'reserved_header'],
      [{ Accept: 'application/json;charset=UTF-32BE' }, 'invalid_header'],
    ];
    for (const [headers, refusal] of rows) {
      assert.equal((await bench.ask(answer(TEXT), { headers })).error, refusal);
    }
  });

  test('is withheld where the redactor cannot read it', async () => {
    const base64 = Buffer.from(SECRET, 'utf16le').swap16().toString('base64').replace(/=+$/, '');
    const utf7 = answer(`before +${base64}- after`, ['Content-Type: text/plain; charset=utf-7']);
    assertWithheld(await bench.ask(utf7), 'UTF-7');
  });

  test('is redacted where it is UTF-16', async () => {
    const body = Buffer.from(`before ${JSON.stringify(SECRET)} after`, 'utf16le');
    const shown = await bench.ask(answer(body, ['Content-Type: application/json; charset=utf-16']));
    assert.equal(shown.error, undefined);
    assert.ok(!shown.bytes.toString('latin1').replaceAll('\0', '').includes(SECRET.slice(0, 5)));
  });
});
