/** The commands of `gateway`. Each is loaded on demand, so that a command starts fast. */
import { hashpwCommand } from '../../core/command-line/hashpw.ts';
import type { CommandOutput } from '../../core/command-line/output.ts';
import { command, type Program } from '../../core/command-line/program.ts';
import { runProgram } from '../../core/command-line/run-program.ts';
import type { Environment } from '../../core/config/environment.ts';
import { PRESET_NAMES } from './init-presets.ts';

const CONFIG = {
  value: 'PATH',
  completes: 'files',
  summary: 'the configuration, if not that of GATEWAY_CONFIG',
} as const;

const GATEWAY: Program = {
  name: 'gateway',
  summary: 'lets a model send HTTP requests without ever holding a key',
  serve: async (env) => (await import('../serve.ts')).serve(env),
  commands: {
    init: command({
      summary: 'make a first configuration',
      arguments: [{ name: 'path', isOptional: true, completes: 'files' }],
      flags: {
        'public-url': { value: 'URL', summary: 'the URL that clients reach' },
        user: { value: 'NAME', summary: 'the first user' },
        'password-file': { value: 'PATH', completes: 'files', summary: "the user's password" },
        target: {
          value: 'PRESET',
          choices: PRESET_NAMES,
          summary: 'the first service that the model may call',
        },
        'base-url': { value: 'URL', summary: 'the URL of that service, if not the usual one' },
        secret: { value: 'REFERENCE', summary: 'its credential: env:NAME or file:/path' },
      },
      details: `Without a path, the file is written to the path in GATEWAY_CONFIG. On a terminal, the command asks
for what no flag gives. Without one, --public-url, --user and --target are needed, and the
password is read from standard input or --password-file. An existing file is never touched.`,
      run: async ({ args: [path], flags, env, output }) =>
        (await import('./init.ts')).init(path, flags, env, output),
    }),
    validate: command({
      summary: 'check a configuration and show what it permits',
      arguments: [{ name: 'path', isOptional: true, completes: 'files' }],
      flags: { 'no-exec': { summary: 'do not run the programs of exec: values' } },
      details: 'Every problem is shown at once, with its line. No secret is ever shown.',
      run: async ({ args: [path], flags, env, output }) =>
        (await import('./validate.ts')).validate(path, env, output, flags),
    }),
    try: command({
      summary: 'show what the gateway would do with a request, without sending it',
      arguments: [{ name: 'url' }],
      flags: {
        user: { value: 'NAME', summary: 'the user who calls; needed if there are several' },
        method: { value: 'METHOD', summary: 'default GET' },
        header: {
          value: "'NAME: VALUE'",
          repeats: true,
          summary: 'a request header; may be given several times',
        },
        body: { value: 'TEXT', summary: 'the body of the request' },
        send: { summary: 'also obtain the tokens and send the request' },
        config: CONFIG,
      },
      details: `Shows the verdict of every step, the target, the address and the names of what would be
injected; never a value. Without --send, only the host name is looked up, and nothing is sent.
Exits with 0 if the request would be sent, with 1 if it would be refused.`,
      run: async ({ args: [url = ''], flags, env, output }) =>
        (await import('./try.ts')).tryUrl(url, flags, env, output),
    }),
    connect: command({
      summary: 'sign in at a provider, for a secret with a refresh token',
      arguments: [{ name: 'user/secret' }],
      flags: {
        'no-browser': { summary: 'print the address and open no browser' },
        redirect: {
          value: 'URL',
          summary: 'the redirect URI on this machine that the provider knows',
        },
        config: CONFIG,
      },
      details: `Opens the provider's sign-in in the browser of this machine, and writes the refresh token into the
file that the secret names. The default redirect URI is http://127.0.0.1/callback. Without a port
in it, a free one is used.`,
      run: async ({ args: [name = ''], flags, env, output }) =>
        (await import('./connect.ts')).connect(name, flags, env, output),
    }),
    audit: command({
      summary: 'show the audit lines of a log, and a summary',
      arguments: [{ name: 'file', isOptional: true, completes: 'files' }],
      flags: {
        user: { value: 'NAME', summary: 'only the calls of this user' },
        target: { value: 'ID', summary: 'only the calls to this target' },
        door: { value: 'DOOR', summary: 'only the calls through mcp or http' },
        key: { value: 'NAME', summary: 'only the calls with this key of the HTTP door' },
        refused: { summary: 'only the calls that were refused' },
        since: { value: 'TIME', summary: 'only later calls: 90m, 1h, 7d or a date in UTC' },
        last: { value: 'N', summary: 'at most that many rows, or all; 40 on a terminal' },
        follow: { summary: 'also show lines as they are added, until interrupted' },
        html: { summary: 'make a page with plots instead of a table' },
      },
      details: `Without a file, the lines are read from standard input. A page goes to standard output, or
into gateway-audit.html if that is a terminal.`,
      run: async ({ args: [file], flags, output }) =>
        (await import('./audit.ts')).audit(file, flags, output),
    }),
    hashpw: hashpwCommand('the configuration'),
    key: command({
      summary: 'make a key for a client of the HTTP door',
      details: `The first line is the key, for the client. The second is its digest, for the
configuration: users[].keys[].key. The gateway needs only the digest.`,
      run: async ({ output }) => (await import('./key.ts')).key(output),
    }),
    totp: command({
      summary: 'make the secret of a second factor',
      flags: {
        user: { value: 'NAME', summary: 'as the authenticator app shows it' },
        issuer: { value: 'NAME', summary: 'the same; default Gatehouse' },
      },
      details: `Prints the secret, for the configuration (users[].totp, or NOTES_TOTP), its otpauth URI and a
QR code of that, for the authenticator app. Everyone who sees them has the second factor.`,
      run: async ({ flags, output }) => (await import('./totp.ts')).totp(flags, output),
    }),
  },
  notes: `Environment: GATEWAY_CONFIG (default /etc/gateway/config.yaml), GATEWAY_LISTEN,
GATEWAY_PUBLIC_URL, GATEWAY_LOG_LEVEL (debug, info, warn, error), GATEWAY_LOG_FILE,
GATEWAY_STORE, GATEWAY_SEAL_KEY.`,
};

export function run(
  words: readonly string[],
  env: Environment,
  output?: CommandOutput,
): Promise<number> {
  return runProgram(GATEWAY, words, env, output);
}
