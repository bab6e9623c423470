/**
 * Writes lines to a file descriptor: whole, in order, and none lost at exit.
 *
 * Lines of one turn of the event loop leave in one write, since a system call costs more than
 * a line. A reader that is slow holds the program back rather than losing a line: an audit log
 * with gaps is worse than a slow one. What a SIGKILL can take is the lines of one turn.
 */
import { writeSync } from 'node:fs';

const RETRY_MS = 2;
const pause = new Int32Array(new SharedArrayBuffer(4));

export function lineWriter(fd: number): (line: string) => void {
  let waiting = '';
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') writeWhole(fd, Buffer.from(text));
  };
  process.on('exit', flush);
  return (line) => {
    if (waiting === '') setImmediate(flush);
    waiting += line;
  };
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // The other end is gone: there is nobody left to tell.
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, RETRY_MS);
    }
  }
}
