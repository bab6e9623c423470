/**
 * Event lines leave together every few milliseconds: under a flood that is one system call for
 * dozens of requests. Whatever is waiting is written when the process exits, also after an
 * exception; what a SIGKILL can take is the lines of these few milliseconds.
 */
import { lineWriter } from '../core/line-writer.ts';

const GATHER_MS = 5;

export function gatheredLines(fd: number): (line: string) => void {
  let waiting = '';
  const pass = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') write(text);
  };
  // Before the writer's own, which then finds what was still waiting here.
  process.on('exit', pass);
  const write = lineWriter(fd);
  return (line) => {
    if (waiting === '') setTimeout(pass, GATHER_MS);
    waiting += line;
  };
}
