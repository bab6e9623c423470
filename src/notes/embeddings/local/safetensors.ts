/** Reads weights in half precision from a safetensors file (https://github.com/huggingface/safetensors). */

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [from: number, to: number];
}

export interface Tensor {
  readonly shape: readonly number[];
  /** Half precision, in row order. */
  readonly bytes: Uint8Array;
}

const LENGTH_BYTES = 8;

export class Safetensors {
  readonly #file: Buffer;
  readonly #start: number;
  readonly #entries: Readonly<Record<string, Entry>>;

  constructor(file: Buffer) {
    const length = Number(file.readBigUInt64LE(0));
    this.#file = file;
    this.#start = LENGTH_BYTES + length;
    this.#entries = JSON.parse(file.toString('utf8', LENGTH_BYTES, this.#start));
  }

  names(): string[] {
    return Object.keys(this.#entries);
  }

  tensor(name: string): Tensor {
    const entry = this.#entries[name];
    if (entry?.dtype !== 'F16') throw new Error(`the weights lack ${name} in half precision`);
    const [from, to] = entry.data_offsets;
    return { shape: entry.shape, bytes: this.#file.subarray(this.#start + from, this.#start + to) };
  }
}
