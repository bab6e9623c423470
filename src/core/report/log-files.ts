/**
 * Reads several logs in sequence, each plain or gzip, as its first bytes show. Prevents decompression bombs
 * (CWE-409): logs are streamed, so that a compressed one takes no more memory than a plain one.
 */
import { Buffer } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { quote } from '../config/problems.ts';
import { logFailure, openLog } from './json-lines.ts';

/** Ends a partial last line, so that it is not joined to the next log. */
const LINE_END = Buffer.from('\n');

/** How much has been read; the total is unknown for a stream. */
export interface LogProgress {
  readBytes: number;
  totalBytes: number | undefined;
}

/** Its message names the log. */
export class LogError extends Error {}

/** Without a name, standard input. */
export async function* readLogs(
  files: readonly string[],
  progress: LogProgress,
): AsyncGenerator<Buffer> {
  const names = files.length > 0 ? files : ['-'];
  progress.totalBytes = await totalBytes(names);
  for (const name of names) {
    try {
      for await (const chunk of inflated(counted(await openLog(name), progress))) yield chunk;
      yield LINE_END;
    } catch (error) {
      const isDamaged = /^Z_/.test(String((error as { code?: unknown }).code));
      const plain = isDamaged
        ? new Error(`${quote(name)}: its gzip data is cut or damaged`)
        : error;
      throw new LogError(logFailure(name === '-' ? undefined : name, plain));
    }
  }
}

async function totalBytes(names: readonly string[]): Promise<number | undefined> {
  let total = 0;
  for (const name of names) {
    const found = name === '-' ? undefined : await stat(name).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    total += found.size;
  }
  return total;
}

async function* counted(chunks: AsyncIterable<Buffer | string>, progress: LogProgress) {
  for await (const given of chunks) {
    const chunk = typeof given === 'string' ? Buffer.from(given) : given;
    progress.readBytes += chunk.length;
    yield chunk;
  }
}

async function* inflated(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const head: Buffer[] = [];
  while (Buffer.concat(head).length < 2) {
    const { value, done } = await chunks.next();
    if (done) break;
    head.push(value);
  }
  const first = Buffer.concat(head);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield first;
    yield* chunks;
    return;
  }
  const gunzip = createGunzip();
  const rest = async function* () {
    yield first;
    yield* chunks;
  };
  // A failure also destroys the gunzip, which throws it.
  pipeline(Readable.from(rest()), gunzip).catch(() => {});
  yield* gunzip as AsyncIterable<Buffer>;
}
