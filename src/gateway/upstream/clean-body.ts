/**
 * What may be shown of a body that is still coming.
 *
 * Stops a leak by reload: a configuration that changes meanwhile brings values that must not
 * pass either. What is kept goes through the new redactor at once, and what still comes goes
 * through both. Memory stays near what is kept, however small the chunks are.
 */
import type { RedactionStream, Redactor } from '../../core/redactor/redactor.ts';

export class CleanBody {
  readonly #currentRedactor: () => Redactor;
  #redactor: Redactor;
  readonly #streams: RedactionStream[];
  #kept = new GrowingBuffer();

  constructor(currentRedactor: () => Redactor) {
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
    const streams = this.#streams.slice(fromStream);
    return this.#kept.append(streams.reduce((clean, stream) => stream.push(clean), bytes));
  }

  #followReload(): void {
    const current = this.#currentRedactor();
    if (current === this.#redactor) return;
    this.#redactor = current;
    const stream = current.stream();
    const before = this.#kept.bytes();
    this.#kept = new GrowingBuffer();
    this.#kept.append(stream.push(before));
    this.#streams.push(stream);
  }
}

/** One block that doubles: an upstream that sends byte by byte must not cost an object a byte. */
class GrowingBuffer {
  length = 0;
  #block = Buffer.alloc(0);

  /** Copies the bytes and returns the new length. */
  append(bytes: Uint8Array): number {
    const length = this.length + bytes.length;
    if (length > this.#block.length) {
      const roomy = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#block.length));
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
