/**
 * `try <url>`: shows what the gateway would decide about a request, step by step, without sending it
 * unless `--send` is given. Shows the names of injected secrets, never their values.
 */
import { type CommandOutput, type Output, paintFor } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { quote, suggestion } from '../../core/config/problems.ts';
import { ownEndpoints } from '../../core/http/own-endpoints.ts';
import { terminalText } from '../../core/log/terminal-text.ts';
import { systemResolver } from '../../core/net/system-resolver.ts';
import { REDACTED } from '../../core/secrets/secret.ts';
import { ActiveConfig } from '../config/active-config.ts';
import type { Config, Target, User } from '../config/config.ts';
import { describeSource } from '../config/minted-secret.ts';
import type { RequestArguments } from '../request/request.ts';
import { TRIAL_STEPS, type Trial, tryRequest } from '../trial.ts';
import { loadConfig } from './load-config.ts';

interface TryFlags {
  readonly user: string | undefined;
  readonly method: string | undefined;
  readonly header: readonly string[];
  readonly body: string | undefined;
  readonly config: string | undefined;
  readonly send: boolean;
}

export async function tryUrl(
  url: string,
  flags: TryFlags,
  env: Environment,
  output: CommandOutput,
): Promise<number> {
  const headers = readHeaders(flags.header);
  if ('problem' in headers) return usageError(headers.problem, output);
  const config = await loadConfig(flags.config, env, output);
  if (!config) return 1;
  const user = chooseUser(config, flags.user);
  if ('problem' in user) return usageError(user.problem, output);

  const active = new ActiveConfig(config);
  const args: RequestArguments = {
    url,
    headers: headers.read,
    ...(flags.method !== undefined && { method: flags.method }),
    ...(flags.body !== undefined && { body: flags.body }),
  };
  const own = ownEndpoints(config.server.publicUrl);
  const { listen, metrics } = config.server;
  for (const listener of [listen, metrics?.listen]) if (listener) own.listeners.push(listener);
  const trial = await tryRequest(user, args, {
    ...{ active, resolve: systemResolver, own, sends: flags.send },
  });
  // Removes secrets and terminal escape sequences.
  const safe = (text: string) => terminalText(active.clean(text));
  show(trial, user, args, safe, output);
  return trial.refusal ? 1 : 0;
}

function show(
  trial: Trial,
  user: User,
  args: RequestArguments,
  safe: (text: string) => string,
  output: CommandOutput,
): void {
  const paint = paintFor(output);
  const { refusal } = trial;
  const method = (args.method ?? 'GET').toUpperCase();
  output.out(`${safe(`${method} ${trial.url}`)} as ${user.name}`);
  output.out('');
  const refusedAt = TRIAL_STEPS.findIndex(({ codes }) => refusal && codes.includes(refusal.code));
  for (const [index, { step, name }] of TRIAL_STEPS.entries()) {
    const left = `  ${String(step).padStart(2)}  ${name.padEnd(10)}`;
    if (refusal && index === refusedAt) {
      const reason = safe(`${refusal.code}: ${refusal.message}`);
      output.out(`${left}  ${paint.red('refused')}  ${reason}`);
    } else if (refusal && index > refusedAt) {
      output.out(paint.dim(`${left}  -`));
    } else {
      const detail = safe(details(name, trial, args));
      output.out(`${left}  ${paint.green('ok')}${detail && `       ${detail}`}`);
    }
  }
  output.out('');
  if (trial.needsApproval) output.out(`a client's call waits for the approval of ${user.name}`);
  for (const line of tokenLines(trial, user)) output.out(safe(line));
  output.out(
    refusal
      ? paint.red(`would be refused: ${refusal.code} (${refusal.status})`)
      : paint.green(
          trial.status === undefined
            ? 'would be sent (dry run)'
            : `was sent; the answer has the status ${trial.status}`,
        ),
  );
}

function details(step: string, { target, addresses }: Trial, args: RequestArguments): string {
  switch (step) {
    case 'target':
      return target?.id ?? 'none; allow_any permits it, without credentials';
    case 'network':
      return addresses.join(', ') || 'the host name has no address';
    case 'rate limit':
      return target?.rateLimit ? `${target.rateLimit.text}; no token was taken` : 'none';
    case 'headers':
      return Object.keys(args.headers ?? {}).join(', ') || 'none given';
    case 'body size':
      return args.body === undefined ? 'no body' : `${Buffer.byteLength(args.body)} bytes`;
    case 'injection':
      return target ? injected(target) : 'nothing';
    case 'sending':
      return target?.followRedirects
        ? 'redirects are followed, each checked again'
        : 'redirects are not followed';
    default:
      return '';
  }
}

/** Which tokens the request carries, and how long they are good; never a token. */
function* tokenLines({ target, remainingMs }: Trial, user: User): Iterable<string> {
  for (const name of target?.inject.mintedNames ?? []) {
    const { source } = user.minted.get(name)!;
    const ms = remainingMs.get(name);
    const state =
      ms === undefined
        ? 'was not requested'
        : `${REDACTED}, good for another ${Math.round(ms / 1_000)} s`;
    yield `token of ${name} (${describeSource(source)}): ${state}`;
  }
}

/** The names of headers, parameters and fields, and of their secrets. */
function injected({ inject }: Target): string {
  const parts = [
    ...[...inject.headers.keys()].map((name) => `header ${name}`),
    ...[...inject.query.keys()].map((name) => `parameter ${name}`),
    ...inject.body.map(({ path }) => `field $.${path.join('.')}`),
    ...(inject.sign ? [`signature ${inject.sign.kind}`] : []),
  ];
  if (parts.length === 0) return 'nothing';
  const from = inject.secretNames.length > 0 ? ` (from ${inject.secretNames.join(', ')})` : '';
  return `${parts.join(', ')}${from}`;
}

/** A value may be a credential, so no message quotes it. */
function readHeaders(
  given: readonly string[],
): { readonly read: Record<string, string> } | { readonly problem: string } {
  const read: Record<string, string> = Object.create(null);
  for (const text of given) {
    const [, name, value] = /^([^:]*):\s*(.*)$/s.exec(text) ?? [];
    if (!name || value === undefined) return { problem: "a header is written 'Name: value'" };
    if (Object.hasOwn(read, name)) return { problem: `the header ${quote(name)} is given twice` };
    read[name] = value;
  }
  return { read };
}

function chooseUser({ users }: Config, name: string | undefined): User | { problem: string } {
  const names = [...users.keys()];
  if (names.length === 0) return { problem: 'the configuration has no users' };
  const known = names.join(', ');
  if (name === undefined) {
    const [only] = users.values();
    return names.length === 1
      ? only!
      : { problem: `there are several users; choose one with --user: ${known}` };
  }
  const hint = suggestion(name, names);
  return users.get(name) ?? { problem: `there is no user ${quote(name)}${hint}; known: ${known}` };
}

function usageError(problem: string, output: Output): number {
  output.err(problem);
  return 2;
}
