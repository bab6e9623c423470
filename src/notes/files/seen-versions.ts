/**
 * The versions of notes that callers have been shown lately, by hash, so that `hash_mismatch` can
 * say what has changed since and not only that something has. Bounded; the oldest go first.
 */
import { StorageError } from './storage-error.ts';
import type { StoredFile } from './stored-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** What a version takes beside its bytes. */
const OVERHEAD = 256;

/** Shows what changed between two versions of a note, in a bounded number of characters. */
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
    this.#versions.set(hash, withoutRest(bytes));
    this.#bytes += bytes.length + OVERHEAD;
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
    this.#bytes -= known.length + OVERHEAD;
    this.#versions.delete(hash);
  }
}

/**
 * A part of a larger buffer would keep all of that in memory: of the journal, or of the common one
 * that Node cuts small buffers out of.
 */
function withoutRest(bytes: Buffer): Buffer {
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
      ? 'the note is not the version you named; read it again'
      : 'the note has changed since you read it; look at the difference and try again',
    {
      path: current.path,
      content_hash: current.contentHash,
      difference: known === undefined ? null : difference(known, current.bytes, current.path),
    },
  );
}
