/**
 * The versions of notes that callers have been shown lately, by hash, so that `hash_mismatch` can
 * say what has changed since and not only that something has. Bounded; the oldest go first.
 */
import { StorageError } from './storage-error.ts';
import type { StoredFile } from './stored-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Node itself cuts small buffers out of a common one of this size. */
const MAX_REST = 8 * 1024;

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
    this.#bytes += bytes.length;
    for (const oldest of this.#versions.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  get(hash: string): Buffer | undefined {
    return this.#versions.get(hash);
  }

  #drop(hash: string): void {
    this.#bytes -= this.#versions.get(hash)?.length ?? 0;
    this.#versions.delete(hash);
  }
}

/** A part of a much larger buffer, as of the journal, would keep all of that in memory. */
function withoutRest(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength - bytes.length > MAX_REST ? Buffer.from(bytes) : bytes;
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
