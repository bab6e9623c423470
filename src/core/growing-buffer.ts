/**
 * One growing block of bytes. A body that is sent byte by byte costs neither an object per byte nor
 * repeated copies, and a body in one piece is not copied.
 */
import { asBuffer } from './as-buffer.ts';

const NOTHING = Buffer.alloc(0);
/** A larger body gets a block of the full cap at once, instead of repeated copies. */
const LARGE_BYTES = 128 * 1024;

export class GrowingBuffer {
  length = 0;
  readonly #capBytes: number;
  #block: Buffer = NOTHING;

  /** The reader stops soon after the cap. */
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
