/** The commands of `decoys`. Each is loaded when it is asked for, so that all answer at once. */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { command, type Program } from '../../core/command-line/program.ts';
import { runProgram } from '../../core/command-line/run-program.ts';
import type { Environment } from '../../core/config/environment.ts';

const FILE = { name: 'file', isOptional: true, completes: 'files' } as const;
const WITHOUT_FILE = 'Without a file, the lines are read from standard input.';

const DECOYS: Program = {
  name: 'decoys',
  summary: 'answers scanners with fabricated data and honeytokens that name who received them',
  serve: async (env) => (await import('../serve.ts')).serve(env),
  commands: {
    selftest: command({
      summary: 'ask every decoy of a running server',
      arguments: [{ name: 'url', isOptional: true }],
      details: 'Without a URL, it asks the server on this machine that the environment describes.',
      run: async ({ args: [url], env, output }) =>
        (await import('./selftest.ts')).selftest(url, env, output),
    }),
    open: command({
      summary: 'show what a honeytoken holds',
      arguments: [{ name: 'token' }],
      run: async ({ args: [token = ''], env, output }) =>
        (await import('./open.ts')).openToken(token, env, output),
    }),
    report: command({
      summary: 'make a page and a summary of the event lines',
      arguments: [FILE],
      details: `${WITHOUT_FILE} The page goes to standard
output, or into decoys-report.html where that is a terminal.`,
      run: async ({ args: [file], output }) => (await import('./report.ts')).report(file, output),
    }),
    export: command({
      summary: 'make a list of the sources of the event lines',
      arguments: [FILE],
      flags: {
        format: {
          value: 'FORMAT',
          choices: ['stix', 'ips'],
          isRequired: true,
          summary: 'a STIX 2.1 bundle, or plain addresses, one a line',
        },
      },
      details: WITHOUT_FILE,
      run: async ({ args: [file], flags: { format }, output }) =>
        (await import('./export.ts')).exportEvents(file, format, output),
    }),
  },
  notes: `Environment: DECOYS_LISTEN (default :2021), DECOYS_KEY (at least 16 characters; file:path reads
it from a file), DECOYS_OLD_KEYS and DECOYS_TRUSTED_PROXIES (separated by commas),
DECOYS_LOG_LEVEL (debug, info, warn, error).`,
};

export function run(
  words: readonly string[],
  env: Environment,
  output?: CommandOutput,
): Promise<number> {
  return runProgram(DECOYS, words, env, output);
}
