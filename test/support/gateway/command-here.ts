/**
 * A command of the gateway within this process, which spares the start of another: for rows of
 * which one has shown the real process. It reads no standard input, which `node --test` makes no
 * terminal.
 */
import type { Environment } from '../../../src/core/config/environment.ts';
import { run } from '../../../src/gateway/commands/cli.ts';
import type { Ended } from '../programs/program.ts';

export async function runHere(args: readonly string[], env: Environment = {}): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  const code = await run(args, env, {
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
