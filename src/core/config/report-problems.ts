/** What the log says of a configuration that cannot be used. */
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
 * Says it once to whoever reads: one line of the log for machines, one line per problem for people
 * at a terminal, or where standard output goes into a file. A container and a service manager join
 * both streams; there it is the line of the log alone. Gives the exit code.
 */
export function refuseToStart(message: string, problems: readonly Problem[], log: Log): number {
  const { stdout, stderr } = process;
  if (!(stdout.isTTY && stderr.isTTY)) reportProblems(message, problems, log);
  if (stderr.isTTY || isKeptApart()) {
    for (const problem of problems) stderr.write(`${formatProblem(problem)}\n`);
  }
  return 1;
}

/** Whether standard output goes into a file or nowhere, and standard error elsewhere. */
function isKeptApart(): boolean {
  const [out, err] = [fstatSync(1), fstatSync(2)];
  const isSame = out.dev === err.dev && out.ino === err.ino;
  return (out.isFile() || out.isCharacterDevice()) && !isSame;
}
