/** Reports an unusable configuration in the log. */
import { fstatSync } from 'node:fs';
import type { Log } from '../log/log.ts';
import { formatProblem, type Problem } from './problems.ts';

/** A line of the log stays readable; `validate` shows the rest. */
const MAX_LOGGED = 50;

/** One line, whatever the number of problems. */
export function reportProblems(message: string, problems: readonly Problem[], log: Log): void {
  const more = problems.length - MAX_LOGGED;
  log.error('config_error', {
    message,
    problems: problems.slice(0, MAX_LOGGED).map(formatProblem),
    ...(more > 0 ? { more } : {}),
  });
}

/**
 * One line of the log for machines on standard output, one line per problem for people on standard
 * error. Where both are read together, it is written once: at a terminal for people, in one file, pipe
 * or journal for machines. Gives the exit code.
 */
export function refuseToStart(message: string, problems: readonly Problem[], log: Log): number {
  const { stdout, stderr } = process;
  const isTerminal = stdout.isTTY && stderr.isTTY;
  if (!isTerminal) reportProblems(message, problems, log);
  if (isTerminal || !areJoined()) {
    for (const problem of problems) stderr.write(`${formatProblem(problem)}\n`);
  }
  return 1;
}

/** Whether standard output and standard error are one and the same. */
function areJoined(): boolean {
  const [out, err] = [fstatSync(1), fstatSync(2)];
  return out.dev === err.dev && out.ino === err.ino;
}
