/**
 * Undoes the content encodings of a body, so that the redactor sees what the model will see.
 *
 * Stops two attacks: a secret hidden by compression, and a bomb. Output flows on chunk by
 * chunk and decoding stops as soon as the reader wants no more, so time and memory stay near
 * the cap whatever the body expands to. What cannot be decoded is withheld.
 */
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { Refusal } from '../refusal.ts';
import type { Sink } from './exchange.ts';

const MAX_LAYERS = 3;
const ZSTD_MAX_WINDOW_LOG = 23;

/** The encodings to undo, last applied first; refused when one is unknown or there are too many. */
export function encodingsOf(contentEncoding: string | undefined): string[] {
  const names = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''))
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
  if (names.length > MAX_LAYERS || !names.every((name) => name in DECODERS)) {
    throw new Refusal('upstream_error', 'the answer has a content encoding that cannot be undone');
  }
  return names;
}

/** A sink that decodes and hands on. `end` must be awaited once the body is complete. */
export class DecodingSink {
  readonly #names: readonly string[];
  readonly #sink: (chunk: Uint8Array) => boolean;
  #layers: Transform[] = [];
  #failure: Refusal | undefined;
  #wanted = true;

  constructor(names: readonly string[], sink: (chunk: Uint8Array) => boolean) {
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
      const closed = once(last, 'close');
      this.#layers[0]!.end();
      await closed;
    }
    if (this.#failure) throw this.#failure;
  }

  destroy(): void {
    for (const layer of this.#layers) layer.destroy();
  }

  #open(firstChunk: Uint8Array): void {
    this.#layers = this.#names.map((name, index) =>
      DECODERS[name]!(index === 0 ? firstChunk : undefined),
    );
    for (const [index, layer] of this.#layers.entries()) {
      layer.on('error', () => this.#fail());
      const next = this.#layers[index + 1];
      if (next) layer.pipe(next);
      else layer.on('data', (chunk: Buffer) => this.#hand(chunk));
    }
  }

  #hand(chunk: Buffer): void {
    if (!this.#wanted || this.#sink(chunk)) return;
    this.#wanted = false;
    this.destroy();
  }

  #fail(): void {
    if (this.#wanted) {
      this.#failure = new Refusal('upstream_error', 'the compressed answer is damaged');
    }
    this.destroy();
  }
}

const DECODERS: Record<string, (firstChunk: Uint8Array | undefined) => Transform> = {
  gzip: () => zlib.createGunzip(),
  /** RFC 9110 means the zlib format; some servers send the bare stream, told apart by its first byte. */
  deflate: (firstChunk) =>
    firstChunk && (firstChunk[0]! & 0x0f) !== 8 ? zlib.createInflateRaw() : zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd: () =>
    zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_MAX_WINDOW_LOG },
    }),
};
