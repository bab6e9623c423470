/**
 * Copies the log into a file that another program follows, such as the alerts in another container. A
 * full file is renamed to `.1`. Failures to write are reported once and stop nothing.
 */
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { describeError } from './log.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_WAITING = 1024 * 1024;
const RETRY_MS = 1_000;

/** Prevents following a symbolic link (CWE-59), and blocking on a named pipe. */
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

type Write = (line: string) => void;

/** Without a path, `write` itself. */
export function alsoToFile(
  path: string | undefined,
  write: Write,
  maxBytes = MAX_FILE_BYTES,
): Write {
  if (!path) return write;
  const file = new LogFile(path, maxBytes);
  process.on('exit', () => file.flush());
  return (line) => {
    write(line);
    file.add(line);
  };
}

class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #fd: number | undefined;
  #bytes = 0;
  #waiting = '';
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Lines of one turn of the event loop are written together. */
  add(line: string): void {
    if (this.#waiting === '') setImmediate(() => this.flush());
    if (this.#waiting.length < MAX_WAITING) this.#waiting += line;
  }

  flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    if (bytes.length === 0 || performance.now() - this.#failedMs < RETRY_MS) return;
    try {
      this.#write(bytes);
      this.#failedMs = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.#fail(error);
    }
  }

  #write(bytes: Buffer): void {
    if (this.#fd !== undefined && this.#bytes + bytes.length > this.#maxBytes) {
      this.#close();
      renameSync(this.#path, `${this.#path}.1`);
    }
    if (this.#fd === undefined) {
      this.#fd = openSync(this.#path, APPEND, 0o640);
      const found = fstatSync(this.#fd);
      if (!found.isFile()) throw new Error('it is not a regular file');
      this.#bytes = found.size;
    }
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from);
    this.#bytes += bytes.length;
  }

  #fail(error: unknown): void {
    const isNews = this.#failedMs === Number.NEGATIVE_INFINITY;
    this.#failedMs = performance.now();
    try {
      this.#close();
      if (isNews) process.stderr.write(`the log file cannot be written: ${describeError(error)}\n`);
    } catch {
      // There is no other place to report it.
    }
  }

  #close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }
}
