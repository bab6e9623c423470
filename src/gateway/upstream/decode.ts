/**
 * Decodes the content encodings of a body, so that the redactor sees what the model will see.
 *
 * Prevents secrets hidden by compression, and decompression bombs (CWE-409): output is streamed with
 * backpressure and decoding stops when the reader wants no more, so time and memory are bounded by
 * the cap. A body that cannot be decoded is refused.
 */
import type { Transform, TransformCallback } from 'node:stream';
import * as zlib from 'node:zlib';
import { Refusal } from '../request/refusal.ts';
import type { Sink } from './exchange.ts';

const MAX_LAYERS = 3;
const ZSTD_MAX_WINDOW_LOG = 23;

/**
 * The encodings, last applied first; refused if one is unknown or there are too many. Compression as
 * a transfer coding is refused, too: RFC 9112, section 7.4, allows it only if the request has `TE`.
 */
export function encodingsOf(
  contentEncoding: string | undefined,
  transferEncoding: string | undefined,
): string[] {
  const names = codingsIn(contentEncoding).reverse();
  const known = names.length <= MAX_LAYERS && names.every((name) => DECODERS.has(name));
  if (!known || codingsIn(transferEncoding).some((name) => name !== 'chunked')) {
    throw new Refusal(
      'upstream_error',
      'the response has a content encoding that cannot be decoded',
    );
  }
  return names;
}

function codingsIn(header: string | undefined): string[] {
  if (!header) return [];
  return header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''))
    .filter((name) => name !== '' && name !== 'identity');
}

/** A sink that decodes into another. Await `end` once the body is complete. */
export class DecodingSink {
  readonly #names: readonly string[];
  readonly #sink: Sink;
  #layers: Transform[] = [];
  #failure: unknown;
  #wanted = true;

  constructor(names: readonly string[], sink: Sink) {
    this.#names = names;
    this.#sink = sink;
  }

  readonly write: Sink = async (chunk) => {
    if (this.#layers.length === 0) this.#open(chunk);
    const first = this.#layers[0]!;
    await new Promise<void>((resolve) => {
      first.once('close', resolve);
      first.write(chunk, () => {
        first.off('close', resolve);
        resolve();
      });
    });
    if (this.#failure) throw this.#failure;
    return this.#wanted;
  };

  async end(): Promise<void> {
    const last = this.#layers.at(-1);
    if (!last || !this.#wanted) return;
    if (!this.#failure && !last.closed) {
      await new Promise<void>((resolve) => {
        last.once('close', resolve);
        this.#layers[0]!.end();
      });
    }
    if (this.#failure) throw this.#failure;
  }

  destroy(): void {
    for (const layer of this.#layers) layer.destroy();
  }

  #open(firstChunk: Uint8Array): void {
    this.#layers = this.#names.map((name, index) =>
      DECODERS.get(name)!(index === 0 ? firstChunk : undefined),
    );
    for (const [index, layer] of this.#layers.entries()) {
      layer.on('error', () => this.#fail(damaged()));
      const next = this.#layers[index + 1];
      if (next) layer.pipe(next);
      else layer.on('data', (chunk: Buffer) => this.#hand(chunk, layer));
    }
  }

  #hand(chunk: Buffer, last: Transform): void {
    if (!this.#wanted) return;
    const wanted = this.#sink(chunk);
    if (typeof wanted === 'boolean') {
      this.#continue(wanted);
      return;
    }
    last.pause();
    wanted.then(
      (more) => {
        this.#continue(more);
        last.resume();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #continue(wanted: boolean): void {
    if (wanted) return;
    this.#wanted = false;
    this.destroy();
  }

  #fail(cause: unknown): void {
    if (this.#wanted) this.#failure ??= cause;
    this.destroy();
  }
}

function damaged(): Refusal {
  return new Refusal('upstream_error', 'the compressed response is corrupt');
}

/**
 * RFC 8878, section 3: a body is one or more frames. Node's decoder ends after the first frame of a
 * chunk; this passes it the rest of the chunk.
 */
class ZstdFrames extends zlib.ZstdDecompress {
  #isInChunk = false;

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    const before = this.bytesWritten;
    this.#isInChunk = true;
    super._transform(chunk, encoding, (error) => {
      this.#isInChunk = false;
      const rest = chunk.subarray(this.bytesWritten - before);
      if (error || this.destroyed || rest.length === 0) done(error);
      else this._transform(rest, encoding, done);
    });
  }

  override push(chunk: Buffer | null): boolean {
    return chunk === null && this.#isInChunk ? true : super.push(chunk);
  }
}

type Decoder = (firstChunk: Uint8Array | undefined) => Transform;

/** Data after the end of the stream is an error; gzip reads it as another member. */
const WHOLE = { rejectGarbageAfterEnd: true };

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', () => zlib.createGunzip()],
  /** RFC 9110 means zlib; some servers send raw deflate, which the first byte distinguishes. */
  [
    'deflate',
    (firstChunk) =>
      firstChunk && (firstChunk[0]! & 0x0f) !== 8
        ? zlib.createInflateRaw(WHOLE)
        : zlib.createInflate(WHOLE),
  ],
  ['br', () => zlib.createBrotliDecompress(WHOLE)],
  [
    'zstd',
    () => new ZstdFrames({ params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_MAX_WINDOW_LOG } }),
  ],
]);
