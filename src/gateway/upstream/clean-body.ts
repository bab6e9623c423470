/**
 * What may be shown of a body that is still coming.
 *
 * Stops a leak by reload: a configuration that changes meanwhile brings values that must not
 * pass either. What is kept goes through the new redactor at once, and what still comes goes
 * through both. Memory stays near what is kept, however small the chunks are.
 */
import { asBuffer } from '../../core/as-buffer.ts';
import type { RedactionStream, Redactor } from '../../core/redactor/redactor.ts';

const NOTHING = Buffer.alloc(0);

export class CleanBody {
  readonly #currentRedactor: () => Redactor;
  #redactor: Redactor;
  readonly #streams: RedactionStream[];
  #kept: GrowingBuffer;
  readonly #capBytes: number;

  /** More than the cap may come, but hardly more: reading stops then. */
  constructor(currentRedactor: () => Redactor, capBytes: number) {
    this.#capBytes = capBytes;
    this.#kept = new GrowingBuffer(capBytes);
    this.#currentRedactor = currentRedactor;
    this.#redactor = currentRedactor();
    this.#streams = [this.#redactor.stream()];
  }

  get length(): number {
    return this.#kept.length;
  }

  get redacted(): number {
    return this.#streams.reduce((count, stream) => count + stream.count, 0);
  }

  bytes(): Buffer {
    return this.#kept.bytes();
  }

  /** Returns how many clean bytes there are now. */
  push(chunk: Uint8Array): number {
    this.#followReload();
    return this.#keep(chunk, 0);
  }

  /** The body is complete: what was held back is no secret. */
  end(): void {
    this.#followReload();
    for (const [index, stream] of this.#streams.entries()) this.#keep(stream.end(), index + 1);
  }

  #keep(bytes: Uint8Array, fromStream: number): number {
    let clean = bytes;
    for (let at = fromStream; at < this.#streams.length; at++)
      clean = this.#streams[at]!.push(clean);
    return this.#kept.append(clean);
  }

  #followReload(): void {
    const current = this.#currentRedactor();
    if (current === this.#redactor) return;
    this.#redactor = current;
    const stream = current.stream();
    const before = this.#kept.bytes();
    this.#kept = new GrowingBuffer(this.#capBytes);
    this.#kept.append(stream.push(before));
    this.#streams.push(stream);
  }
}

/** From here on an answer gets the whole of its cap at once, instead of ever larger copies. */
const LARGE_BYTES = 128 * 1024;

/**
 * One block that grows: an upstream that sends byte by byte must not cost an object a byte.
 * Most answers are one piece, which is kept as it is.
 */
class GrowingBuffer {
  length = 0;
  readonly #capBytes: number;
  #block: Buffer = NOTHING;

  constructor(capBytes: number) {
    this.#capBytes = capBytes;
  }

  /** Returns the new length. */
  append(bytes: Uint8Array): number {
    if (bytes.length === 0) return this.length;
    const length = this.length + bytes.length;
    if (this.length === 0) {
      this.#block = asBuffer(bytes);
      this.length = length;
      return length;
    }
    if (length > this.#block.length) {
      const wanted = length > LARGE_BYTES ? this.#capBytes : 2 * length;
      const roomy = Buffer.allocUnsafeSlow(Math.max(length, Math.min(wanted, this.#capBytes)));
      this.#block.copy(roomy, 0, 0, this.length);
      this.#block = roomy;
    }
    this.#block.set(bytes, this.length);
    this.length = length;
    return length;
  }

  bytes(): Buffer {
    return this.#block.subarray(0, this.length);
  }
}
