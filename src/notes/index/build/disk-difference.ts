/** Compares the disk with the index by names, sizes and modification times. */
import type { FileStamp } from '../content/prepared-file.ts';

export interface IndexedStamp {
  readonly size: number;
  readonly mtimeMs: number;
  /** When the index read the file. */
  readonly indexedMs: number;
}

export interface ChangedFile extends FileStamp {
  /** The index has a former version of it. */
  readonly isIndexed: boolean;
}

/**
 * A second write in the same moment and of the same length leaves an equal stamp. As git does, a
 * file that was read within this time of its last change is read again.
 */
const RACY_MS = 1000;

/** Collects, file by file, what must be read and removed to make the index equal to the disk. */
export class DiskDifference {
  readonly #indexedStamp: (path: string) => IndexedStamp | undefined;
  readonly #seen = new Set<string>();
  readonly #changed: ChangedFile[] = [];

  constructor(indexedStamp: (path: string) => IndexedStamp | undefined) {
    this.#indexedStamp = indexedStamp;
  }

  get changed(): readonly ChangedFile[] {
    return this.#changed;
  }

  get unchanged(): number {
    return this.#seen.size - this.#changed.length;
  }

  add(file: FileStamp): void {
    this.#seen.add(file.path);
    const known = this.#indexedStamp(file.path);
    if (!isSame(file, known)) this.#changed.push({ ...file, isIndexed: known !== undefined });
  }

  /** The indexed files that were not found. */
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
