/** What the log says of a configuration that cannot be used. */
import type { Log } from './log.ts';
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
 * One line for machines on standard output, one per problem for people on standard error.
 * Gives the exit code.
 */
export function refuseToStart(message: string, problems: readonly Problem[], log: Log): number {
  reportProblems(message, problems, log);
  for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
  return 1;
}
