/** The commands of `decoys`. Each is loaded on demand. */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { command, type Program } from '../../core/command-line/program.ts';
import { runProgram } from '../../core/command-line/run-program.ts';
import type { Environment } from '../../core/config/environment.ts';
import { FORMAT_NAMES } from '../blocklist/format-names.ts';

const FILES = { name: 'file', isOptional: true, repeats: true, completes: 'files' } as const;
const WITHOUT_FILE = `Logs of all three programs are understood, plain or compressed by gzip.
Without a file, the lines are read from standard input.`;

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
    validate: command({
      summary: 'check the settings and a file of own decoys',
      arguments: [{ name: 'file', isOptional: true, completes: 'files' }],
      details: 'Without a file, it checks the one of DECOYS_FILE.',
      run: async ({ args: [file], env, output }) =>
        (await import('./validate.ts')).validate(file, env, output),
    }),
    open: command({
      summary: 'show what a honeytoken holds',
      arguments: [{ name: 'token' }],
      run: async ({ args: [token = ''], env, output }) =>
        (await import('./open.ts')).openToken(token, env, output),
    }),
    report: command({
      summary: 'make a page and a summary of the event lines',
      arguments: [FILES],
      details: `${WITHOUT_FILE} The page goes to standard
output, or into decoys-report.html where that is a terminal.`,
      run: async ({ args, output }) =>
        (await import('./report.ts')).report(args as string[], output),
    }),
    alert: command({
      summary: 'tell the operator when a honeytoken is used',
      arguments: [FILES],
      flags: {
        to: {
          value: 'URL',
          isRequired: true,
          summary: 'where to: https, mailto, syslog or file:path',
        },
        format: {
          value: 'FORMAT',
          choices: ['ntfy', 'slack', 'discord', 'teams', 'json', 'syslog'],
          summary: 'what the receiver takes; json if not given',
        },
        min: {
          value: 'SEVERITY',
          choices: ['low', 'medium', 'high'],
          summary: 'the least urgent to send; medium if not given',
        },
        state: {
          value: 'FILE',
          completes: 'files',
          summary: 'what was sent already; decoys-alert.state if not given',
        },
      },
      details: `Follows the logs of all three programs; without a file, standard input to its end.
A URL with a password in it belongs into a file: --to file:/run/secrets/alert_url.`,
      run: async ({ args, flags, env, output }) =>
        (await import('./alert.ts')).alert(args as string[], flags, env, output),
    }),
    export: command({
      summary: 'make a blocklist of the sources of the event lines',
      arguments: [FILES],
      flags: {
        format: {
          value: 'FORMAT',
          choices: FORMAT_NAMES,
          isRequired: true,
          summary: 'one of',
        },
        since: { value: 'TIME', summary: 'only hits since then: 24h, 7d, 2026-11-15' },
        'min-hits': { value: 'N', summary: 'only sources with so many hits; 3 if not given' },
        allow: {
          value: 'NETWORK',
          repeats: true,
          summary: 'never this network, such as 10.0.0.0/8',
        },
      },
      details: `${WITHOUT_FILE}
Never in the list: addresses of this machine, trusted proxies, addresses that
somebody has signed in from (give the logs of the gateway and of notes, too),
and what other sites made a browser send.`,
      run: async ({ args, flags, env, output }) =>
        (await import('./export.ts')).exportSources(args as string[], flags, env, output),
    }),
    ecs: command({
      summary: 'rewrite log lines with the names of the Elastic Common Schema',
      arguments: [FILES],
      details: WITHOUT_FILE,
      run: async ({ args, output }) => (await import('./ecs.ts')).ecs(args as string[], output),
    }),
  },
  notes: `Environment: DECOYS_LISTEN (default :2021), DECOYS_KEY (at least 16 characters; file:path reads
it from a file), DECOYS_OLD_KEYS and DECOYS_TRUSTED_PROXIES (separated by commas),
DECOYS_LOG_LEVEL (debug, info, warn, error), DECOYS_LOG_FILE, DECOYS_METRICS_LISTEN and DECOYS_METRICS_KEY
(both or none), DECOYS_PERSONA (name, domain, models and server, as YAML or in a file),
DECOYS_FILE (own decoys, a YAML file).`,
};

export function run(
  words: readonly string[],
  env: Environment,
  output?: CommandOutput,
): Promise<number> {
  return runProgram(DECOYS, words, env, output);
}
