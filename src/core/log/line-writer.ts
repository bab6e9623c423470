/**
 * Writes lines to a file descriptor: whole, in order, and none lost at exit.
 *
 * Lines of one turn of the event loop leave in one write, since a system call costs more than
 * a line. A reader that is slow holds the program back rather than losing a line: an audit log
 * with gaps is worse than a slow one. What a SIGKILL can take is the lines of one turn.
 *
 * A full disk ends nothing: else anyone who can fill the log could end the program. Lines wait in
 * memory and are tried again; those that find no room there either are counted, and the log says how many.
 */
import { writeSync } from 'node:fs';

const RETRY_MS = 2;
const RETRY_FULL_MS = 1000;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const STANDARD_ERROR = 2;
const NEWLINE = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

export function lineWriter(fd: number): (line: string) => void {
  let waiting = '';
  const unwritten = new UnwrittenLines(fd);
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') unwritten.add(Buffer.from(text));
  };
  process.on('exit', () => {
    flush();
    unwritten.write();
  });
  return (line) => {
    if (waiting === '') setImmediate(flush);
    waiting += line;
  };
}

/** What has not been written yet: nothing at all, unless the disk is full. */
class UnwrittenLines {
  readonly #fd: number;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #complained = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  add(lines: Buffer): void {
    const isFull = this.#kept.length > 0;
    if (isFull && this.#bytes + lines.length > MAX_KEPT_BYTES) {
      this.#lost += countLines(lines);
      return;
    }
    this.#keep(lines);
    if (!isFull) this.write();
  }

  /** Everything, or as much as there is room for; the rest is tried again. */
  write(): void {
    while (this.#kept.length > 0 || this.#lost > 0) {
      if (this.#kept.length === 0) this.#keep(this.#tellOfLost());
      const [first] = this.#kept as [Buffer];
      const written = this.#writeSome(first);
      this.#bytes -= written;
      if (written < first.length) {
        this.#kept[0] = first.subarray(written);
        setTimeout(() => this.write(), RETRY_FULL_MS).unref();
        return;
      }
      this.#kept.shift();
    }
    this.#complained = false;
  }

  /** Says how many of the bytes need not be written any more. */
  #writeSome(bytes: Buffer): number {
    for (let from = 0; from < bytes.length; ) {
      try {
        from += writeSync(this.#fd, bytes, from);
      } catch (error) {
        const { code } = error as { code?: unknown };
        // The other end is gone: there is nobody left to tell.
        if (code === 'EPIPE') return bytes.length;
        if (code !== 'EAGAIN') {
          if (!this.#complained) complain(`the log cannot be written (${code}); its lines wait\n`);
          this.#complained = true;
          return from;
        }
        Atomics.wait(pause, 0, 0, RETRY_MS);
      }
    }
    return bytes.length;
  }

  #keep(lines: Buffer): void {
    this.#kept.push(lines);
    this.#bytes += lines.length;
  }

  #tellOfLost(): Buffer {
    const lines = this.#lost;
    this.#lost = 0;
    const event = { ts: new Date().toISOString(), level: 'error', event: 'log_lost', lines };
    return Buffer.from(`${JSON.stringify(event)}\n`);
  }
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** It may stand on the same disk. */
function complain(message: string): void {
  try {
    writeSync(STANDARD_ERROR, message);
  } catch {
    // Then nobody can be told.
  }
}
