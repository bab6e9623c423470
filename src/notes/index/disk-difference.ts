/** What has changed on disk since the index read it, told by names, sizes and times alone. */
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

/** What must be read and what forgotten, so that the index is again what the disk is. */
export function diskDifference(
  onDisk: readonly FileStamp[],
  indexedStamp: (path: string) => IndexedStamp | undefined,
  indexedPaths: Iterable<string>,
): DiskDifference {
  const changed: string[] = [];
  const seen = new Set<string>();
  for (const file of onDisk) {
    seen.add(file.path);
    if (!isSame(file, indexedStamp(file.path))) changed.push(file.path);
  }
  const removed: string[] = [];
  for (const path of indexedPaths) if (!seen.has(path)) removed.push(path);
  return { changed, removed, unchanged: onDisk.length - changed.length };
}

function isSame({ size, mtimeMs }: FileStamp, known: IndexedStamp | undefined): boolean {
  return (
    known !== undefined &&
    known.size === size &&
    known.mtimeMs === Math.floor(mtimeMs) &&
    Math.abs(known.indexedMs - known.mtimeMs) >= RACY_MS
  );
}
