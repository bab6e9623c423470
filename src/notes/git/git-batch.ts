/** How many changes go to git at once: all their bytes are one piece of memory by then. */
import type { AppliedChange } from '../changes/change-types.ts';

const MAX_CHANGES = 200;
const MAX_BYTES = 64 * 1024 * 1024;

/** The first changes of a queue, at least one. */
export function nextBatch(queue: readonly AppliedChange[]): AppliedChange[] {
  const batch: AppliedChange[] = [];
  let bytes = 0;
  for (const change of queue.slice(0, MAX_CHANGES)) {
    bytes += bytesOf(change);
    if (bytes > MAX_BYTES && batch.length > 0) break;
    batch.push(change);
  }
  return batch;
}

function bytesOf({ files }: AppliedChange): number {
  return files.reduce((sum, { after }) => sum + (after?.length ?? 0), 0);
}
