/**
 * A command of the gateway within this process, which spares the start of another: for rows of
 * which one has shown the real process. It reads no standard input, which `node --test` makes no
 * terminal.
 */
import type { CommandOutput } from '../../../src/core/command-line/output.ts';
import type { Environment } from '../../../src/core/config/environment.ts';
import { run } from '../../../src/gateway/commands/cli.ts';
import type { Ended } from '../programs/program.ts';

export function runHere(args: readonly string[], env: Environment = {}): Promise<Ended> {
  return captured((output) => run(args, env, output));
}

/** What the work writes, and the exit code that it resolves with. */
export async function captured(work: (output: CommandOutput) => Promise<number>): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const code = await work({
    out: (line) => {
      stdout += `${line}\n`;
    },
    err: (line) => {
      stderr += `${line}\n`;
    },
    write: (text) => {
      stdout += text;
    },
    isTerminal: false,
  });
  return { code, stdout, stderr };
}
