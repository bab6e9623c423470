/** Reports an unusable configuration in the log. */
import { fstatSync } from 'node:fs';
import type { Log } from '../log/log.ts';
import { formatProblem, type Problem } from './problems.ts';

/** `validate` shows the rest. */
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
 * Writes one log line for machines to standard output, and one line per problem for people to standard
 * error. Where both are the same, only one is written: at a terminal that for people, in a file, pipe or
 * journal that for machines. Returns the exit code.
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
