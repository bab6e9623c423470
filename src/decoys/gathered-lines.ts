/**
 * Event lines leave together every few milliseconds: under a flood that is one system call for
 * dozens of requests. Whatever is waiting is written when the process exits, also after an
 * exception; what a SIGKILL can take is the lines of these few milliseconds.
 */
import { isAlarm, lineWriter, type WriteLine } from '../core/log/line-writer.ts';

const GATHER_MS = 5;

export function gatheredLines(fd: number): WriteLine {
  let waiting: string[] = [];
  const pass = () => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0) write(lines.join(''));
  };
  // Before the writer's own, which then finds what was still waiting here.
  process.on('exit', pass);
  const write = lineWriter(fd);
  return (line, event) => {
    if (isAlarm(event)) {
      pass();
      write(line, event);
      return;
    }
    if (waiting.length === 0) setTimeout(pass, GATHER_MS);
    waiting.push(line);
  };
}
