/**
 * HMAC-SHA256 (RFC 2104) by two one-shot hashes, which takes half of the processor time of `createHmac`
 * (Node 24) for the few bytes of a token. Strangers decide how often one is computed.
 */
import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

export class Hmac {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  /** The key has at most 64 bytes. */
  constructor(key: Uint8Array) {
    this.#inner = padded(key, INNER);
    this.#outer = padded(key, OUTER);
  }

  digest(...data: readonly Uint8Array[]): Buffer {
    const inner = hash('sha256', Buffer.concat([this.#inner, ...data]), 'buffer');
    return hash('sha256', Buffer.concat([this.#outer, inner]), 'buffer');
  }
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  key.forEach((byte, at) => {
    block[at] = byte ^ pad;
  });
  return block;
}
