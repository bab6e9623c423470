/**
 * Reads one file of a vault: never through a symbolic link, never a pipe or a device, never more
 * than the size limit, and again while an edit in place changes it during the read.
 */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { contentHash } from './content-hash.ts';
import { type Directory, openParent } from './directory.ts';
import { errorCode, StorageError } from './storage-error.ts';
import type { VaultPath } from './vault-path.ts';

export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Identifies a version of a file: a write or a replacement changes it. */
export interface Stamp {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

export interface StoredFile {
  /** As spelt on disk. */
  readonly path: VaultPath;
  readonly bytes: Buffer;
  readonly contentHash: string;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly stamp: Stamp;
}

// O_NONBLOCK: opening a named pipe must not wait for a writer.
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_READS = 5;

/** Undefined where there is no file. */
export function readStoredFile(
  root: string,
  path: string,
  maxBytes = MAX_FILE_BYTES,
): Promise<StoredFile | undefined> {
  return opened(root, path, (handle, found) => readAll(handle, found, maxBytes));
}

/** At most `length` bytes from `offset`, of an append-only file. */
export function readPart(
  root: string,
  path: string,
  offset: number,
  length: number,
): Promise<Buffer | undefined> {
  return opened(root, path, async (handle) => {
    const { size } = await handle.stat();
    return readBytes(handle, Math.max(0, Math.min(length, size - offset)), offset);
  });
}

export function isExecutable({ mode }: Pick<StoredFile, 'mode'>): boolean {
  return (mode & 0o100) !== 0;
}

export function stampOf(stats: BigIntStats): Stamp {
  return { ino: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs };
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

async function opened<Result>(
  root: string,
  path: string,
  read: (handle: FileHandle, found: VaultPath) => Promise<Result>,
): Promise<Result | undefined> {
  using directory = openParent(root, path);
  const name = directory?.spelling(basename(path));
  if (directory === undefined || name === undefined) return undefined;
  await using handle = await openFile(directory, name);
  return handle && (await read(handle, directory.path(name) as VaultPath));
}

async function openFile(directory: Directory, name: string): Promise<FileHandle | undefined> {
  try {
    return await open(directory.at(name), OPEN_FILE);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code !== 'ELOOP' && code !== 'ENXIO') throw error;
    throw notAFile(name);
  }
}

async function readAll(handle: FileHandle, path: VaultPath, maxBytes: number): Promise<StoredFile> {
  for (let attempt = 1; ; attempt++) {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw notAFile(basename(path));
    if (before.size > BigInt(maxBytes)) {
      throw new StorageError(
        'too_large',
        `the file has ${before.size} bytes, more than the ${maxBytes} a note may have; split it`,
        { path, bytes: Number(before.size), max_bytes: maxBytes },
      );
    }
    const bytes = await readBytes(handle, Number(before.size));
    const after = await handle.stat({ bigint: true });
    if (sameStamp(stampOf(before), stampOf(after)) || attempt === MAX_READS) {
      return {
        path,
        bytes,
        contentHash: contentHash(bytes),
        mtimeMs: Number(after.mtimeMs),
        mode: Number(after.mode & 0o777n),
        stamp: stampOf(before),
      };
    }
  }
}

async function readBytes(handle: FileHandle, size: number, from = 0): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function notAFile(name: string): StorageError {
  return new StorageError(
    'path_invalid',
    `"${name}" is a folder, a symbolic link or a device, not a file; name a file`,
    { name },
  );
}
