/**
 * Redacts a body while it streams in.
 *
 * Prevents a leak by reload: if the configuration changes during the response, its new secrets are
 * removed as well. The kept bytes pass the new redactor at once, further bytes pass both.
 */
import { GrowingBuffer } from '../../core/growing-buffer.ts';
import type { Redaction, RedactionStream } from '../../core/redactor/redactor.ts';

export class CleanBody {
  readonly #currentRedactor: () => Redaction;
  #redactor: Redaction;
  readonly #streams: RedactionStream[];
  #kept: GrowingBuffer;
  readonly #capBytes: number;

  constructor(currentRedactor: () => Redaction, capBytes: number) {
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

  /** Returns the number of clean bytes. */
  push(chunk: Uint8Array): number {
    this.#followReload();
    return this.#keep(chunk, 0);
  }

  /** Call once the body is complete: flushes what the redactors held back. */
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
