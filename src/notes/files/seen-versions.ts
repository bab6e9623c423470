/**
 * A cache of the note versions that callers have recently seen, by hash, so that `hash_mismatch`
 * can show what has changed since. Bounded in bytes; the oldest are evicted first.
 */
import { StorageError } from './storage-error.ts';
import type { StoredFile } from './stored-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Memory of a cache entry besides its bytes. */
const OVERHEAD_BYTES = 256;

/** A diff of two versions of a note, of bounded length. */
export type Difference = (before: Buffer, after: Buffer, path: string) => string;

export class SeenVersions {
  readonly difference: Difference;
  readonly #versions = new Map<string, Buffer>();
  #bytes = 0;

  constructor(difference: Difference) {
    this.difference = difference;
  }

  add(hash: string, bytes: Buffer): void {
    if (bytes.length > MAX_BYTES / 4) return;
    this.#drop(hash);
    this.#versions.set(hash, unpooled(bytes));
    this.#bytes += bytes.length + OVERHEAD_BYTES;
    for (const oldest of this.#versions.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  get(hash: string): Buffer | undefined {
    return this.#versions.get(hash);
  }

  #drop(hash: string): void {
    const known = this.#versions.get(hash);
    if (known === undefined) return;
    this.#bytes -= known.length + OVERHEAD_BYTES;
    this.#versions.delete(hash);
  }
}

/** A slice would keep the whole underlying buffer (the journal's, or Node's pool) in memory. */
function unpooled(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

export function hashMismatch(
  current: StoredFile,
  known: Buffer | undefined,
  difference: Difference,
): StorageError {
  return new StorageError(
    'hash_mismatch',
    known === undefined
      ? 'content_hash is not the hash of the current note; read it again'
      : 'the note has changed since you read it; check the difference and try again',
    {
      path: current.path,
      content_hash: current.contentHash,
      difference: known === undefined ? null : difference(known, current.bytes, current.path),
    },
  );
}
