/** The commands of `decoys` and their exit codes: 0 done, 1 failed, 2 not understood. */
import type { Environment } from '../core/environment.ts';
import { suggestion } from '../core/problems.ts';
import { buildInfo, VERSION } from '../core/version.ts';
import { exportEvents } from './commands/export.ts';
import { openToken } from './commands/open.ts';
import type { Output } from './commands/output.ts';
import { report } from './commands/report.ts';
import { selftest } from './commands/selftest.ts';
import { serve } from './serve.ts';

const HELP = `decoys: answers scanners with fabricated data and honeytokens that name who received them

  decoys                                   run the server
  decoys selftest [url]                    ask every decoy of a running server
  decoys open <token>                      show what a honeytoken holds
  decoys report [file]                     make a page and a summary of the event lines
  decoys export --format stix|ips [file]   make a list of the sources of the event lines
  decoys version                           show version, commit and build date

Without a file, report and export read standard input. A page goes to standard output, or into
decoys-report.html where that is a terminal.

Environment: DECOYS_LISTEN (default :2021), DECOYS_KEY (at least 16 characters; file:path reads
it from a file), DECOYS_OLD_KEYS and DECOYS_TRUSTED_PROXIES (separated by commas),
DECOYS_LOG_LEVEL (debug, info, warn, error).
`;

type Command = (args: readonly string[], env: Environment, output: Output) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  selftest: ([url], env, output) => selftest(url, env, output),
  open: ([token], env, output) => openToken(token, env, output),
  report: ([file], _env, output) => report(file, output),
  export: exportEvents,
  version,
  help: async (_args, _env, output) => {
    output.out(HELP);
    return 0;
  },
};
const ALIASES: Readonly<Record<string, string>> = {
  '--version': 'version',
  '--help': 'help',
  '-h': 'help',
};
const MOST_ARGUMENTS: Readonly<Record<string, number>> = {
  selftest: 1,
  open: 1,
  report: 1,
  export: 3,
};

export async function run(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  const [given, ...rest] = args;
  if (given === undefined) return serve(env);
  const name = ALIASES[given] ?? given;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const hint = suggestion(given, Object.keys(COMMANDS));
    return misunderstood(`unknown command "${given}"${hint}`, output);
  }
  const extra = rest[MOST_ARGUMENTS[name] ?? 0];
  if (extra !== undefined) return misunderstood(`unexpected argument "${extra}"`, output);
  return command(rest, env, output);
}

async function version(_args: readonly string[], _env: Environment, output: Output) {
  const { commit, date } = buildInfo();
  output.out(`decoys ${VERSION} (commit ${commit}, built ${date})\n`);
  return 0;
}

function misunderstood(message: string, output: Output): number {
  output.err(`${message}; decoys help lists the commands\n`);
  return 2;
}
