/**
 * A file from its start to its end, and then what is added to it, until the signal. A file that
 * is cut short is read again from its start; where another takes its name, that one is read
 * next. An empty chunk says that the end has been reached for now.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const CHUNK_BYTES = 256 * 1024;
const POLL_MS = 200;
/** Ends whatever was half written, so that it does not run into what follows. */
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
