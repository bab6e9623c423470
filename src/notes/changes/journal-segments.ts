/** The segment files of the journal: numbered, append-only, removed whole by age or total size. */
import { lstatSync } from 'node:fs';
import { type FileHandle, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder } from '../files/directory.ts';
import { readPart, readStoredFile } from '../files/stored-file.ts';
import { positionOf } from './change-id.ts';
import { type BeginRecord, decodeRecord } from './journal-record.ts';

export const JOURNAL_FOLDER = '.notes/journal';
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024 * 1024;
/** Most records are shorter; for a longer one the read is repeated with a larger size. */
const FIRST_READ_BYTES = 64 * 1024;

/** The segment numbers, oldest first. */
export async function listSegments(root: string): Promise<number[]> {
  using folder = openFolder(root, JOURNAL_FOLDER);
  const names = folder ? await readdir(folder.self()) : [];
  return names
    .map((name) => /^([0-9]{6,9})\.journal$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

export async function lastSegment(root: string): Promise<number> {
  return (await listSegments(root)).at(-1) ?? 0;
}

/** Whether the open segment is still the file at its path: the vault may have been replaced. */
export async function isSegment(
  root: string,
  number: number,
  handle: FileHandle,
): Promise<boolean> {
  const path = join(root, JOURNAL_FOLDER, segmentName(number));
  const found = lstatSync(path, { throwIfNoEntry: false });
  const open = await handle.stat();
  return found?.ino === open.ino && found.dev === open.dev;
}

export function segmentName(number: number): string {
  return `${String(number).padStart(6, '0')}.journal`;
}

export async function readSegment(root: string, number: number): Promise<Buffer | undefined> {
  return (await readStoredFile(root, `${JOURNAL_FOLDER}/${segmentName(number)}`, MAX_SEGMENT_BYTES))
    ?.bytes;
}

/** The record of a change, read without the rest of its segment; undefined for a forged id. */
export async function readChange(root: string, id: string): Promise<BeginRecord | undefined> {
  const position = positionOf(id);
  if (position === undefined) return undefined;
  const path = `${JOURNAL_FOLDER}/${segmentName(position.segment)}`;
  for (let length = FIRST_READ_BYTES; ; length *= 4) {
    const bytes = await readPart(root, path, position.offset, length);
    const record = bytes && decodeRecord(bytes, 0)?.record;
    if (record !== undefined)
      return record.type === 'begin' && record.id === id ? record : undefined;
    if (bytes === undefined || bytes.length < length) return undefined;
  }
}

/** Removes segments below `needed` that are older than `expiry` or exceed the total size. */
export async function removeSegments(root: string, needed: number, expiry: number): Promise<void> {
  using folder = openFolder(root, JOURNAL_FOLDER);
  if (folder === undefined) return;
  const found = await Promise.all(
    (await listSegments(root)).map(async (number) => {
      const { size, mtimeMs } = await stat(folder.at(segmentName(number)));
      return { number, size, mtimeMs };
    }),
  );
  let total = found.reduce((sum, { size }) => sum + size, 0);
  for (const { number, size, mtimeMs } of found) {
    if (number >= needed || (mtimeMs >= expiry && total <= MAX_BYTES)) continue;
    await unlink(folder.at(segmentName(number)));
    total -= size;
  }
}

export async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await handle.write(bytes, written, bytes.length - written, position + written);
    written += result.bytesWritten;
  }
}
