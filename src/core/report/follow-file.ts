/**
 * Reads a file to its end and follows it until the signal, over truncation and rotation. An empty chunk
 * means that the present end is reached.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const CHUNK_BYTES = 256 * 1024;
const POLL_MS = 200;
/** Ends a partial line, so that it is not joined to the next file. */
const LINE_END = Buffer.from('\n');

export async function* followFile(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let file = await open(path);
  let position = 0;
  try {
    while (!signal.aborted) {
      const chunk = await readAt(file, position);
      position += chunk.length;
      yield chunk;
      if (chunk.length > 0) continue;
      const { size, ino, dev } = await file.stat();
      const named = await stat(path).catch(() => undefined);
      if (size < position) {
        position = 0;
        yield LINE_END;
      } else if (named && (named.ino !== ino || named.dev !== dev) && size === position) {
        await file.close();
        file = await open(path);
        position = 0;
        yield LINE_END;
      } else {
        await sleep(POLL_MS, undefined, { signal }).catch(() => {});
      }
    }
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}
