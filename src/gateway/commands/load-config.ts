/** The configuration that a command works with. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { ExecValues } from '../../core/config/exec-values.ts';
import { formatProblem } from '../../core/config/problems.ts';
import type { Config } from '../config/config.ts';
import { configPath } from '../config/environment.ts';
import { readConfigRunning } from '../config/read-config.ts';

/** Undefined if it has problems, which are then printed. */
export async function loadConfig(
  path: string | undefined,
  env: Environment,
  output: Output,
): Promise<Config | undefined> {
  const exec = new ExecValues(env);
  const { config, problems } = await readConfigRunning(path ?? configPath(env), env, exec);
  printComplaints(exec, output);
  if (!config) for (const problem of problems.errors) output.err(formatProblem(problem));
  return config;
}

/** What programs of `exec:` wrote to standard error. */
export function printComplaints(exec: ExecValues, output: Output): void {
  for (const { program, text } of exec.takeComplaints()) output.err(`${program}: ${text}`);
}
