import { hash } from 'node:crypto';

/** The `content_hash` of a note: the first 128 bits of SHA-256 in hex. */
export function contentHash(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex').slice(0, 32);
}
