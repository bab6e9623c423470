/**
 * The changes of the journal, newest first, and the texts that they left behind.
 *
 * The journal has what was there before a change. What a change wrote is found by its hash: in the file
 * as it is, as what a later change found, or in the trash. An edit outside of the server hides it.
 */
import { readStoredFile } from '../files/stored-file.ts';
import { comparePositions } from './change-id.ts';
import { type BeginRecord, decodeRecords, type WriteOperation } from './journal-record.ts';
import { listSegments, readSegment } from './journal-segments.ts';

const MAX_FOUND_BYTES = 32 * 1024 * 1024;

/** Those that were not rolled back; of a change id, only older ones. Holds one segment at a time. */
export async function* newestChanges(root: string, before?: string): AsyncGenerator<BeginRecord> {
  const reverted = new Set<string>();
  for (const number of (await listSegments(root)).toReversed()) {
    const begun = await changesOf(root, number, reverted);
    for (const record of begun.reverse()) {
      if (reverted.has(record.id)) continue;
      if (before !== undefined && comparePositions(record.id, before) >= 0) continue;
      yield record;
    }
  }
}

async function changesOf(
  root: string,
  number: number,
  reverted: Set<string>,
): Promise<BeginRecord[]> {
  const begun: BeginRecord[] = [];
  for (const record of decodeRecords((await readSegment(root, number)) ?? Buffer.alloc(0))) {
    if (record.type === 'begin') begun.push(record);
    if (record.type === 'end' && record.outcome === 'reverted') reverted.add(record.id);
  }
  return begun;
}

/** What these changes wrote, by its hash, as far as it is still known. */
export async function writtenBy(
  root: string,
  changes: readonly BeginRecord[],
): Promise<ReadonlyMap<string, Buffer>> {
  const writes = changes.flatMap(({ operations }) => operations).filter(isWrite);
  const wanted = new Set(writes.map(({ afterHash }) => afterHash));
  const found = new Map<string, Buffer>();
  let bytes = 0;
  const keep = (hash: string | undefined, content: Buffer | undefined) => {
    if (hash === undefined || content === undefined || !wanted.delete(hash)) return;
    bytes += content.length;
    // A copy: a part of a segment keeps all of it in memory.
    if (bytes <= MAX_FOUND_BYTES) found.set(hash, Buffer.from(content));
  };
  for (const { path } of writes) {
    const file = await readStoredFile(root, path).catch(() => undefined);
    keep(file?.contentHash, file?.bytes);
  }
  const oldest = changes.at(-1)?.id;
  for await (const { id, operations } of newestChanges(root)) {
    if (wanted.size === 0 || id === oldest) break;
    for (const operation of operations) {
      if (isWrite(operation)) keep(operation.beforeHash, operation.before);
      else if (operation.hash !== undefined && wanted.has(operation.hash)) {
        const file = await readStoredFile(root, operation.to).catch(() => undefined);
        keep(file?.contentHash, file?.bytes);
      }
    }
  }
  return found;
}

function isWrite(operation: BeginRecord['operations'][number]): operation is WriteOperation {
  return operation.kind === 'write';
}
