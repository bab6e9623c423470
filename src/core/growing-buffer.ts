/**
 * One block of bytes that grows. A body that is sent byte by byte costs neither an object per byte nor
 * repeated copies. A body in one piece, which is usual, is not copied.
 */
import { asBuffer } from './as-buffer.ts';

const NOTHING = Buffer.alloc(0);
/** From here on a text gets the whole of its cap at once, instead of ever larger copies. */
const LARGE_BYTES = 128 * 1024;

export class GrowingBuffer {
  length = 0;
  readonly #capBytes: number;
  #block: Buffer = NOTHING;

  /** More than the cap may come, but hardly more: the reader stops then. */
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
