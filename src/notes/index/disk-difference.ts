import type { FileStamp } from './prepared-file.ts';

export interface IndexedStamp {
  readonly size: number;
  readonly mtimeMs: number;
  /** When the index read the file. */
  readonly indexedMs: number;
}

export interface DiskDifference {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/**
 * A file written again in the same moment and at the same length has the same stamp. So one that
 * was read within this time of its last change is read again, as git does it.
 */
const RACY_MS = 1000;

export function diskDifference(
  onDisk: Iterable<FileStamp>,
  indexed: ReadonlyMap<string, IndexedStamp>,
): DiskDifference {
  const changed: string[] = [];
  const seen = new Set<string>();
  for (const { path, size, mtimeMs } of onDisk) {
    seen.add(path);
    const known = indexed.get(path);
    const isSame =
      known !== undefined &&
      known.size === size &&
      known.mtimeMs === Math.floor(mtimeMs) &&
      Math.abs(known.indexedMs - known.mtimeMs) >= RACY_MS;
    if (!isSame) changed.push(path);
  }
  const removed = [...indexed.keys()].filter((path) => !seen.has(path));
  return { changed, removed, unchanged: seen.size - changed.length };
}
