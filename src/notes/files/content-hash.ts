import { hash } from 'node:crypto';

/** The first 128 bits of SHA-256 in hex: what `content_hash` is everywhere. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, 32);
}
