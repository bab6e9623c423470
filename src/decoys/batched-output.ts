/**
 * Writes log lines to standard output, all lines of one turn of the event loop at once: under a
 * flood that is one system call for many requests. Whatever is pending is written when the
 * process exits, also after an exception.
 */
import { pino } from 'pino';

const MAX_PENDING = 64 * 1024;

export interface BatchedOutput {
  write(line: string): void;
  flush(): void;
}

export function batchedOutput(write: (text: string) => void = standardOutput()): BatchedOutput {
  let pending = '';
  let isScheduled = false;
  const flush = () => {
    isScheduled = false;
    if (pending === '') return;
    const text = pending;
    pending = '';
    write(text);
  };
  process.once('exit', flush);
  return {
    flush,
    write: (line) => {
      pending += line;
      if (pending.length >= MAX_PENDING) {
        flush();
      } else if (!isScheduled) {
        isScheduled = true;
        setImmediate(flush);
      }
    },
  };
}

function standardOutput(): (text: string) => void {
  const destination = pino.destination({ fd: 1, sync: true });
  return (text) => {
    destination.write(text);
  };
}
