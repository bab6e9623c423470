/**
 * Writes lines to a file descriptor: whole, in order, and none lost at exit.
 *
 * Lines of one turn of the event loop are written together, since a system call costs more than a line.
 * SIGKILL loses at most the lines of one turn.
 *
 * Prevents denial of service by a full disk or a reader that stops reading: lines wait in memory for a
 * retry, and those beyond the limit are counted in a `log_lost` line. Alarms have a higher limit, which
 * a flood of other lines cannot use.
 */
import { writeSync } from 'node:fs';

const RETRY_MS = 2;
const RETRY_FULL_MS = 1000;
const RETRY_UNREAD_MS = 10;
/** How long an exiting program waits for a reader. */
const MAX_WAIT_AT_EXIT_MS = 2_000;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const MAX_KEPT_WITH_ALARMS_BYTES = 2 * MAX_KEPT_BYTES;
/** Events that report a stolen secret. */
const ALARMS = ['honeytoken_used', 'tripwire_hit'];
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
const NEWLINE = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

export function isAlarm(event: string | undefined): boolean {
  return event !== undefined && ALARMS.includes(event);
}

export type WriteLine = (line: string, event?: string) => void;

export function lineWriter(fd: number): WriteLine {
  // Makes Node set a pipe to non-blocking, so that a full one gives EAGAIN.
  if (fd === STANDARD_OUTPUT) void process.stdout.writable;
  let waiting = '';
  let hasAlarm = false;
  const unwritten = new UnwrittenLines(fd);
  const flush = () => {
    const text = waiting;
    const isOfAlarms = hasAlarm;
    waiting = '';
    hasAlarm = false;
    if (text !== '') unwritten.add(Buffer.from(text), isOfAlarms);
  };
  process.on('exit', () => {
    flush();
    unwritten.writeAtExit();
  });
  return (line, event) => {
    const isAlarmed = isAlarm(event);
    // An alarm must not be dropped together with the lines around it.
    if (isAlarmed !== hasAlarm) flush();
    hasAlarm = isAlarmed;
    if (waiting === '') setImmediate(flush);
    waiting += line;
  };
}

/** Lines that could not be written yet, because the disk is full or nobody reads. */
class UnwrittenLines {
  readonly #fd: number;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #lost = 0;
  #isUnread = false;
  #complained = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  add(lines: Buffer, hasAlarm: boolean): void {
    const isFull = this.#kept.length > 0;
    const room = hasAlarm ? MAX_KEPT_WITH_ALARMS_BYTES : MAX_KEPT_BYTES;
    if (isFull && this.#bytes + lines.length > room) {
      this.#lost += countLines(lines);
      return;
    }
    this.#keep(lines);
    if (!isFull) this.write();
  }

  /** Writes as much as possible; the rest is retried. */
  write(): void {
    while (this.#kept.length > 0 || this.#lost > 0) {
      if (this.#kept.length === 0) this.#keep(this.#tellOfLost());
      const [first] = this.#kept as [Buffer];
      const written = this.#writeSome(first);
      this.#bytes -= written;
      if (written < first.length) {
        this.#kept[0] = first.subarray(written);
        const afterMs = this.#isUnread ? RETRY_UNREAD_MS : RETRY_FULL_MS;
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.write(), afterMs).unref();
        return;
      }
      this.#kept.shift();
    }
    this.#complained = false;
  }

  /** Waits for a slow reader, but not for space on a disk. */
  writeAtExit(): void {
    const untilMs = performance.now() + MAX_WAIT_AT_EXIT_MS;
    this.write();
    while (this.#kept.length > 0 && this.#isUnread && performance.now() < untilMs) {
      Atomics.wait(pause, 0, 0, RETRY_MS);
      this.write();
    }
  }

  /** Returns how many of the bytes are done with. */
  #writeSome(bytes: Buffer): number {
    this.#isUnread = false;
    for (let from = 0; from < bytes.length; ) {
      try {
        from += writeSync(this.#fd, bytes, from);
      } catch (error) {
        const { code } = error as { code?: unknown };
        // The reader is gone.
        if (code === 'EPIPE') return bytes.length;
        this.#isUnread = code === 'EAGAIN';
        if (!this.#isUnread) {
          if (!this.#complained) complain(`the log cannot be written (${code}); its lines wait\n`);
          this.#complained = true;
        }
        return from;
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

/** Standard error may be on the same full disk. */
function complain(message: string): void {
  try {
    writeSync(STANDARD_ERROR, message);
  } catch {
    // There is no other place to report it.
  }
}
