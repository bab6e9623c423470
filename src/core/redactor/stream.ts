/**
 * Redaction of a text in chunks. The output does not depend on the chunks. Only the bytes that may still
 * become a match are held back, so that memory is bounded by the longest form and the chunk.
 */
import type { Splice } from './splice.ts';
import type { TextScanner } from './text-scanner.ts';

export interface RedactionStream {
  /** The clean bytes that are decided by now; may be empty, may be a view of the chunk. */
  push(chunk: Uint8Array): Uint8Array;
  /** The rest. The beginning of a secret at the end of the text comes back unchanged. */
  end(): Uint8Array;
  /** How many secret values were removed so far, by their markers. */
  readonly count: number;
}

/**
 * `tailBytes` are always held back at the end. With the length of the longest form, this prevents a prefix
 * oracle by the timing of a stream: how much is held does not depend on whether a secret begins.
 */
export interface StreamOptions {
  readonly tailBytes: number;
}

const MIN_ROOM = 256;
const NOTHING = new Uint8Array();

export class ScanningStream implements RedactionStream {
  readonly #scanner: TextScanner;
  readonly #splice: Splice;
  readonly #tailBytes: number;
  /** Undecided bytes stand from `#from` to `#to`, with room to grow behind them. */
  #held: Uint8Array = NOTHING;
  #from = 0;
  #to = 0;
  /** The position in the text of the first undecided byte. */
  #position = 0;

  constructor(scanner: TextScanner, splice: Splice, { tailBytes }: StreamOptions) {
    this.#scanner = scanner;
    this.#splice = splice;
    this.#tailBytes = tailBytes;
  }

  get count(): number {
    return this.#splice.count;
  }

  push(chunk: Uint8Array): Uint8Array {
    if (this.#from === this.#to) return this.#pushFresh(chunk);
    this.#append(chunk);
    const base = this.#position - this.#from;
    const [from, to] = [this.#to - chunk.length, this.#to];
    const undecided = this.#heldFrom(
      this.#scanner.read(this.#held, from, to, base, false),
      this.#from,
      to,
    );
    this.#position = base + undecided;
    const clean = this.#splice.take(this.#held, base, this.#position);
    this.#from = undecided;
    // The held bytes will be overwritten, so the clean ones must not be a view of them.
    return clean.buffer === this.#held.buffer ? clean.slice() : clean;
  }

  end(): Uint8Array {
    const base = this.#position - this.#from;
    this.#scanner.read(this.#held, this.#to, this.#to, base, true);
    return this.#splice.take(this.#held, base, base + this.#to);
  }

  /** Nothing is held back: the chunk is read where it is. */
  #pushFresh(chunk: Uint8Array): Uint8Array {
    const base = this.#position;
    const { length } = chunk;
    const undecided = this.#heldFrom(this.#scanner.read(chunk, 0, length, base, false), 0, length);
    this.#position = base + undecided;
    this.#from = 0;
    this.#to = 0;
    this.#append(chunk.subarray(undecided));
    return this.#splice.take(chunk, base, this.#position);
  }

  /** Of the bytes from `from` to `to`, the first to hold back. */
  #heldFrom(undecided: number, from: number, to: number): number {
    return Math.max(from, Math.min(undecided, to - this.#tailBytes));
  }

  /** Moves the held bytes only when the buffer is full. */
  #append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const length = this.#to - this.#from + chunk.length;
    if (this.#to + chunk.length > this.#held.length) {
      const roomy =
        length * 2 > this.#held.length
          ? new Uint8Array(Math.max(length * 2, MIN_ROOM))
          : this.#held;
      roomy.set(this.#held.subarray(this.#from, this.#to));
      this.#held = roomy;
      this.#to -= this.#from;
      this.#from = 0;
    }
    this.#held.set(chunk, this.#to);
    this.#to += chunk.length;
  }
}
