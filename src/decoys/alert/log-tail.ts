/**
 * Follows one log over rotation, truncation and our own restarts, and neither skips nor repeats a line.
 *
 * A log is identified by the hash of its beginning. After `logrotate` (rename or copytruncate,
 * compressed or not), the unread rest is read from the rotated file with the same beginning, and from
 * those that are newer.
 */
import { hash } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { readLogs } from '../../core/report/log-files.ts';

const CHUNK_BYTES = 256 * 1024;
const HEAD_BYTES = 1_024;
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface LogPosition {
  /** The end of the last line that was read. */
  readonly offset: number;
  /** The beginning of the log, at most `HEAD_BYTES` of it, as SHA-256. */
  readonly head: string;
  readonly headBytes: number;
}

const START: LogPosition = { offset: 0, head: '', headBytes: 0 };

export class LogTail {
  readonly path: string;
  readonly #warn: (message: string) => void;
  #position: LogPosition;
  #file: FileHandle | undefined;
  /** The lines of rotated files. */
  #former: AsyncGenerator<Buffer> | undefined;
  #isSame = false;
  #isMissing = false;

  constructor(path: string, position: LogPosition | undefined, warn: (message: string) => void) {
    this.path = path;
    this.#position = position ?? START;
    this.#warn = warn;
  }

  get position(): LogPosition {
    return this.#position;
  }

  /** Whole lines; none at the end of the log for now. */
  async read(): Promise<Buffer> {
    if (this.#former) {
      const { value, done } = await this.#former.next();
      if (!done) return value;
      this.#former = undefined;
      this.#position = START;
    }
    this.#file ??= await open(this.path).catch(missing);
    if (!this.#file) {
      if (!this.#isMissing) this.#warn(`there is no log at ${this.path} yet; it is waited for`);
      this.#isMissing = true;
      return NOTHING;
    }
    this.#isMissing = false;
    // Since the last read to the end, it may have been truncated and have grown again.
    if (!this.#isSame && !(await this.#hasSameHead(this.#file))) {
      this.#former = this.#readFormer(await this.#formerFiles());
      return this.read();
    }
    this.#isSame = true;
    const lines = await readLines(this.#file, this.#position.offset);
    if (lines.length > 0) {
      await this.#advance(this.#file, lines.length);
      return lines;
    }
    this.#isSame = false;
    return (await this.#hasNewFile(this.#file)) ? this.read() : NOTHING;
  }

  async close(): Promise<void> {
    await this.#former?.return(undefined);
    await this.#file?.close();
    this.#file = undefined;
  }

  async #advance(file: FileHandle, bytes: number): Promise<void> {
    const offset = this.#position.offset + bytes;
    const headBytes = Math.min(offset, HEAD_BYTES);
    const isKnown = headBytes === this.#position.headBytes;
    const head = isKnown ? this.#position.head : await headOf(file, headBytes);
    this.#position = { offset, head, headBytes };
  }

  async #hasSameHead(file: FileHandle): Promise<boolean> {
    const { offset, head, headBytes } = this.#position;
    if (offset === 0) return true;
    const { size } = await file.stat();
    return size >= offset && (await headOf(file, headBytes)) === head;
  }

  /** Whether another file has the name now, and this one is read to its end. */
  async #hasNewFile(file: FileHandle): Promise<boolean> {
    const [old, named] = [await file.stat(), await stat(this.path).catch(missing)];
    if (!named || (named.ino === old.ino && named.dev === old.dev)) return false;
    if ((await readLines(file, this.#position.offset)).length > 0) return true;
    await file.close();
    this.#file = undefined;
    this.#position = START;
    return true;
  }

  /** The rotated file that was read last and the newer ones, by modification time. */
  async #formerFiles(): Promise<string[]> {
    const folder = dirname(this.path);
    const name = basename(this.path);
    const stem = basename(name, extname(name));
    const isFormer = (each: string) =>
      each.startsWith(`${name}.`) ||
      each.startsWith(`${name}-`) ||
      (each.startsWith(`${stem}-`) && /^\d/.test(each.slice(stem.length + 1)));
    const found: { path: string; timeMs: number }[] = [];
    for (const each of await readdir(folder)) {
      const path = join(folder, each);
      const known = each !== name && isFormer(each) ? await stat(path).catch(missing) : undefined;
      if (known?.isFile()) found.push({ path, timeMs: known.mtimeMs });
    }
    found.sort((a, b) => a.timeMs - b.timeMs);
    for (const [at, { path }] of found.entries()) {
      if (await this.#wasRead(path)) return found.slice(at).map((file) => file.path);
    }
    this.#warn(`the log at ${this.path} has begun anew; lines of the former one may be missing`);
    return [];
  }

  async #wasRead(path: string): Promise<boolean> {
    const { head, headBytes } = this.#position;
    let beginning = NOTHING;
    try {
      for await (const chunk of readLogs([path], { readBytes: 0, totalBytes: undefined })) {
        beginning = Buffer.concat([beginning, chunk.subarray(0, headBytes)]);
        if (beginning.length >= headBytes) break;
      }
    } catch {
      return false;
    }
    return hashOf(beginning.subarray(0, headBytes)) === head;
  }

  async *#readFormer(paths: readonly string[]): AsyncGenerator<Buffer> {
    let skip = this.#position.offset;
    for (const path of paths) {
      let [offset, beginning, pending] = [skip, NOTHING, NOTHING];
      for await (const chunk of readLogs([path], { readBytes: 0, totalBytes: undefined })) {
        beginning = Buffer.concat([beginning, chunk.subarray(0, HEAD_BYTES - beginning.length)]);
        const skipped = Math.min(skip, chunk.length);
        skip -= skipped;
        const bytes = Buffer.concat([pending, chunk.subarray(skipped)]);
        const end =
          bytes.length > MAX_LINE_BYTES * 2 ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
        pending = bytes.subarray(end);
        if (end === 0) continue;
        offset += end;
        const headBytes = Math.min(offset, HEAD_BYTES);
        this.#position = { offset, head: hashOf(beginning.subarray(0, headBytes)), headBytes };
        yield bytes.subarray(0, end);
      }
      skip = 0;
    }
  }
}

/** Whole lines, or a part of a line that is too long, which is not valid JSON. */
async function readLines(file: FileHandle, offset: number): Promise<Buffer> {
  for (let size = CHUNK_BYTES; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(size);
    const { bytesRead } = await file.read(buffer, 0, size, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end > 0) return bytes.subarray(0, end);
    if (bytesRead < size) return NOTHING;
    if (size >= MAX_LINE_BYTES) return bytes;
  }
}

async function headOf(file: FileHandle, bytes: number): Promise<string> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, 0);
  return hashOf(buffer.subarray(0, bytesRead));
}

function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

function missing(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  return undefined;
}
