/**
 * Reads a log of JSON objects, one per line, in bounded memory. Lines over 1 MiB and lines that are not a
 * JSON object are skipped and counted.
 */
import { createReadStream } from 'node:fs';
import { quote } from '../config/problems.ts';
import { readFailure } from '../config/value.ts';
import { describeError } from '../log/log.ts';

const MAX_LINE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const LINE_END = 0x0a;
/** Other times are ignored: one would squeeze all others into one bar of a chart. */
const [EARLIEST_MS, LATEST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

export type JsonFields = Readonly<Record<string, unknown>>;

export interface Skipped {
  /** Lines of other events. */
  other: number;
  /** Lines that are no events. */
  malformed: number;
}

/** Standard input, or the file; rejects where that cannot be opened. */
export async function openLog(file: string | undefined): Promise<AsyncIterable<Buffer | string>> {
  if (file === undefined || file === '-') return process.stdin;
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  return new Promise((resolve, reject) => {
    stream.once('open', () => resolve(stream)).once('error', reject);
  });
}

/** Why the log of that name, or standard input, cannot be read. */
export function logFailure(file: string | undefined, error: unknown): string {
  if ((error as { code?: unknown }).code === undefined) return describeError(error);
  return `${file === undefined ? 'standard input' : quote(file)}: ${readFailure(error)}`;
}

/** Yields the objects of each chunk. The last line needs no line end. */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer | string>,
  skipped: Skipped,
): AsyncGenerator<JsonFields[]> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isTooLong = false;
  const objects: JsonFields[] = [];
  const endLine = (last: Buffer) => {
    const bytes = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    const text = isTooLong ? '' : bytes.toString('utf8').trim();
    const fields = text === '' ? undefined : parseObject(text);
    if (fields) objects.push(fields);
    else if (text !== '' || isTooLong) skipped.malformed++;
    [pending, pendingBytes, isTooLong] = [[], 0, false];
  };
  for await (const given of chunks) {
    const chunk = typeof given === 'string' ? Buffer.from(given) : given;
    let start = 0;
    for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, start)) {
      if (pendingBytes + at - start > MAX_LINE_BYTES) isTooLong = true;
      endLine(chunk.subarray(start, at));
      start = at + 1;
    }
    pendingBytes += chunk.length - start;
    if (pendingBytes > MAX_LINE_BYTES) [pending, isTooLong] = [[], true];
    else if (start < chunk.length) pending.push(Buffer.from(chunk.subarray(start)));
    yield objects.splice(0);
  }
  endLine(Buffer.alloc(0));
  yield objects.splice(0);
}

/** The time of a line, or undefined without a valid one. */
export function timeOf({ ts }: JsonFields): number | undefined {
  const timeMs = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
  return timeMs >= EARLIEST_MS && timeMs < LATEST_MS ? timeMs : undefined;
}

function parseObject(text: string): JsonFields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as JsonFields) : undefined;
  } catch {
    return undefined;
  }
}
