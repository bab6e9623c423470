import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { Refusal } from '../request/refusal.ts';
import { DecodingSink, encodingsOf } from './decode.ts';

const ENCODE: Record<string, (data: Uint8Array) => Buffer> = {
  gzip: (data) => zlib.gzipSync(data),
  deflate: (data) => zlib.deflateSync(data),
  br: (data) => zlib.brotliCompressSync(data),
  zstd: (data) => zlib.zstdCompressSync(data),
};

const isUpstreamError = (error: unknown) =>
  error instanceof Refusal && error.code === 'upstream_error';

describe('the encodings to undo', () => {
  const rows: [content: string | undefined, undo: string[]][] = [
    [undefined, []],
    ['', []],
    ['identity', []],
    ['gzip', ['gzip']],
    ['X-GZip', ['gzip']],
    [' br ,\tgzip', ['gzip', 'br']],
    ['identity, deflate, identity', ['deflate']],
    ['zstd, br, gzip', ['gzip', 'br', 'zstd']],
  ];
  for (const [content, undo] of rows) {
    test(`of ${JSON.stringify(content)} are ${JSON.stringify(undo)}`, () => {
      assert.deepEqual(encodingsOf(content, undefined), undo);
      assert.deepEqual(encodingsOf(content, 'Chunked'), undo);
    });
  }

  for (const content of ['compress', 'gzip, nope', 'constructor', '__proto__', 'gzip;q=1']) {
    test(`of "${content}" are unknown, so the answer is refused`, () => {
      assert.throws(() => encodingsOf(content, undefined), isUpstreamError);
    });
  }

  test('are at most three', () => {
    assert.throws(() => encodingsOf('gzip, gzip, gzip, gzip', undefined), isUpstreamError);
  });

  for (const transfer of ['gzip', 'gzip, chunked', 'chunked, gzip', 'x-gzip,chunked', 'nope']) {
    test(`are never hidden in a transfer coding such as "${transfer}"`, () => {
      assert.throws(() => encodingsOf(undefined, transfer), isUpstreamError);
    });
  }
});

async function decode(
  names: readonly string[],
  chunks: readonly Uint8Array[],
  wanted: (bytesSoFar: number) => boolean = () => true,
): Promise<{ bytes: Buffer; written: number }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const sink = new DecodingSink(names, (chunk) => {
    pieces.push(chunk);
    length += chunk.length;
    return wanted(length);
  });
  let written = 0;
  try {
    for (const chunk of chunks) {
      written += 1;
      if (!(await sink.write(chunk))) break;
    }
    await sink.end();
  } finally {
    sink.destroy();
  }
  return { bytes: Buffer.concat(pieces), written };
}

describe('the decoder', () => {
  test('gives back what was encoded, by any layers and in any chunks', async () => {
    const layers = fc.array(fc.constantFrom(...Object.keys(ENCODE)), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
        layers,
        fc.integer({ min: 1, max: 500 }),
        async (data, names, size) => {
          const encoded = names.reduce<Uint8Array>((bytes, name) => ENCODE[name]!(bytes), data);
          const chunks = [];
          for (let at = 0; at < encoded.length; at += size) {
            chunks.push(encoded.subarray(at, at + size));
          }
          const { bytes } = await decode(names.toReversed(), chunks);
          assert.deepEqual(bytes, Buffer.from(data));
        },
      ),
      { numRuns: 60 },
    );
  });

  /** RFC 8878, section 3, and RFC 1952, section 2.2: a body may be several of them in a row. */
  for (const name of ['zstd', 'gzip']) {
    const skippable = Buffer.from('502a4d180300000061626300', 'hex').subarray(0, 11);
    const parts = ['one', '', 'two '.repeat(20_000), 'three'].map((text) =>
      ENCODE[name]!(Buffer.from(text)),
    );
    const several = Buffer.concat(name === 'zstd' ? [skippable, ...parts, skippable] : parts);
    const text = `one${'two '.repeat(20_000)}three`;

    test(`reads all the frames of ${name}, wherever they are split`, async () => {
      for (let at = 0; at <= several.length; at++) {
        const chunks = [several.subarray(0, at), several.subarray(at)].filter((c) => c.length > 0);
        const { bytes } = await decode([name], chunks);
        assert.equal(bytes.toString(), text, `split at ${at}`);
      }
      const single = Array.from(several, (byte) => Buffer.of(byte));
      assert.equal((await decode([name], single)).bytes.toString(), text);
      const layered = await decode(['gzip', name], [zlib.gzipSync(several)]);
      assert.equal(layered.bytes.toString(), text);
    });

    test(`refuses a later frame of ${name} that is cut or damaged`, async () => {
      const both = Buffer.concat([parts[0]!, parts[3]!]);
      for (let at = parts[0]!.length + 1; at < both.length; at++) {
        await assert.rejects(decode([name], [both.subarray(0, at)]), isUpstreamError, `${at}`);
      }
      const junk = Buffer.concat([parts[0]!, Buffer.from('junk, not a frame')]);
      await assert.rejects(decode([name], [junk]), isUpstreamError);
    });
  }

  test('stops in the middle of a later frame when no more is wanted', async () => {
    const zeros = zlib.zstdCompressSync(Buffer.alloc(1024 * 1024));
    const frames = Buffer.concat(Array.from({ length: 50 }, () => zeros));
    const { bytes, written } = await decode(
      ['zstd'],
      [frames, frames],
      (soFar) => soFar < 3_000_000,
    );
    assert.equal(written, 1);
    assert.ok(bytes.length < 3_500_000);
  });

  test('refuses what follows the end where nothing may', async () => {
    for (const name of ['br', 'deflate']) {
      const whole = ENCODE[name]!(Buffer.from('text'));
      for (const more of [whole, Buffer.from('x')]) {
        await assert.rejects(decode([name], [whole, more]), isUpstreamError, name);
        await assert.rejects(decode([name], [Buffer.concat([whole, more])]), isUpstreamError, name);
      }
    }
    const bare = zlib.deflateRawSync('text');
    await assert.rejects(decode(['deflate'], [bare, bare]), isUpstreamError);
  });

  test('knows the bare deflate stream', async () => {
    const { bytes } = await decode(['deflate'], [zlib.deflateRawSync('plain text')]);
    assert.equal(bytes.toString(), 'plain text');
  });

  test('refuses a body that ends too early, in whichever layer', async () => {
    for (const [name, encode] of Object.entries(ENCODE)) {
      const cut = encode(Buffer.from('some text, some more text')).subarray(0, -3);
      await assert.rejects(decode([name], [cut]), isUpstreamError, name);
      await assert.rejects(decode(['gzip', name], [zlib.gzipSync(cut)]), isUpstreamError, name);
    }
  });

  test('refuses what is not encoded at all', async () => {
    for (const name of Object.keys(ENCODE)) {
      await assert.rejects(decode([name], [Buffer.from('just text')]), isUpstreamError, name);
    }
  });

  test('stops a bomb as soon as no more is wanted', async () => {
    const zeros = Buffer.alloc(8 * 1024 * 1024);
    for (const [name, encode] of Object.entries(ENCODE)) {
      const bomb = encode(zeros);
      const { bytes, written } = await decode([name], [bomb, bomb, bomb], (soFar) => soFar < 1_000);
      assert.equal(written, 1, name);
      assert.ok(bytes.length < 256 * 1024, `${name} gave ${bytes.length} bytes`);
    }
  });

  test('has nothing to say about an empty body', async () => {
    const { bytes } = await decode(['gzip'], []);
    assert.equal(bytes.length, 0);
  });
});
