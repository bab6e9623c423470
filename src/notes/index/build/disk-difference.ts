/** What has changed on disk since the index read it, told by names, sizes and times alone. */
import type { FileStamp } from '../content/prepared-file.ts';

export interface IndexedStamp {
  readonly size: number;
  readonly mtimeMs: number;
  /** When the index read the file. */
  readonly indexedMs: number;
}

/**
 * A file written again in the same moment and at the same length has the same stamp. So one that
 * was read within this time of its last change is read again, as git does it.
 */
const RACY_MS = 1000;

/**
 * What must be read and what forgotten, so that the index is again what the disk is. It grows with
 * every file that is found; of those that did not change only the name is kept.
 */
export class DiskDifference {
  readonly #indexedStamp: (path: string) => IndexedStamp | undefined;
  readonly #seen = new Set<string>();
  readonly #changed: FileStamp[] = [];

  constructor(indexedStamp: (path: string) => IndexedStamp | undefined) {
    this.#indexedStamp = indexedStamp;
  }

  get changed(): readonly FileStamp[] {
    return this.#changed;
  }

  get unchanged(): number {
    return this.#seen.size - this.#changed.length;
  }

  add(file: FileStamp): void {
    this.#seen.add(file.path);
    if (!isSame(file, this.#indexedStamp(file.path))) this.#changed.push(file);
  }

  /** Those of the indexed files that were not found. */
  removed(indexedPaths: Iterable<string>): string[] {
    const removed: string[] = [];
    for (const path of indexedPaths) if (!this.#seen.has(path)) removed.push(path);
    return removed;
  }
}

function isSame({ size, mtimeMs }: FileStamp, known: IndexedStamp | undefined): boolean {
  return (
    known !== undefined &&
    known.size === size &&
    known.mtimeMs === Math.floor(mtimeMs) &&
    Math.abs(known.indexedMs - known.mtimeMs) >= RACY_MS
  );
}
