/** `validate [path]`: every problem at once, or a summary of what would run. Never a value. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { ExecValues } from '../../core/config/exec-values.ts';
import { formatProblem, INSTALLATION } from '../../core/config/problems.ts';
import { hashingProblem } from '../../core/secrets/password.ts';
import { ActiveConfig } from '../config/active-config.ts';
import type { Config } from '../config/config.ts';
import { configPath } from '../config/environment.ts';
import { describeSource, type MintedSecret, tokenEndpointOf } from '../config/minted-secret.ts';
import { readConfig, readConfigRunning } from '../config/read-config.ts';
import { poorSecrets } from '../config/report.ts';
import { printComplaints } from './load-config.ts';

export async function validate(
  path: string | undefined,
  env: Environment,
  output: Output,
  { 'no-exec': skipsPrograms } = { 'no-exec': false },
): Promise<number> {
  const file = path ?? configPath(env);
  const exec = new ExecValues(env);
  const { config, problems } = skipsPrograms
    ? readConfig(file, { env, exec })
    : await readConfigRunning(file, env, exec);
  printComplaints(exec, output);
  for (const problem of problems.errors) output.err(formatProblem(problem));
  for (const warning of problems.warnings) output.err(`warning: ${formatProblem(warning)}`);
  const own = config?.server.decoys?.file
    ? await (await import('../routes.ts')).decoyProblems(config.server.decoys)
    : [];
  for (const problem of own) output.err(formatProblem(problem));
  if (!config || own.length > 0) {
    const count = problems.errors.length + own.length;
    output.err(`${count} problem${count === 1 ? '' : 's'} in ${file}`);
    return 1;
  }
  const missing = await hashingProblem();
  if (missing !== undefined) {
    output.err(formatProblem({ file: INSTALLATION, message: missing }));
    return 1;
  }
  for (const { user, secret, problem } of poorSecrets(config)) {
    output.err(`warning: the secret ${secret} of ${user} ${problem}`);
  }
  const { store } = config.server;
  if (store) {
    const { judgeStore } = await import('../../core/redis/judge-server.ts');
    for (const warning of await judgeStore(store)) output.err(`warning: server.store: ${warning}`);
  }
  // A description or a URL may hold, by mistake, what is also a secret.
  const { clean } = new ActiveConfig(config);
  for (const line of summary(file, config)) output.out(clean(line));
  return 0;
}

/** Its parts resolve, or this would not be reached. */
function describeMinted({ name, source }: MintedSecret): string {
  const what = `secret ${name}: ${describeSource(source)}`;
  const endpoint = tokenEndpointOf(source);
  return endpoint === undefined ? `${what}, signed here` : `${what} from ${endpoint}`;
}

function* summary(file: string, { server, users }: Config): Iterable<string> {
  yield `OK ${file}`;
  yield `public_url ${server.publicUrl}`;
  yield `listen ${server.listen.text}`;
  if (server.allowNetworks.length > 0) {
    yield `allow_networks ${server.allowNetworks.map((cidr) => cidr.text).join(', ')}`;
  }
  if (server.metrics) yield `metrics ${server.metrics.listen?.text ?? 'on the public listener'}`;
  if (server.store) yield `store ${server.store.text}`;
  if (server.decoys) yield 'decoys on';
  if (server.notify) yield `notify ${server.notify.format}`;
  for (const user of users.values()) {
    yield `user ${user.name}`;
    if (user.totp) yield '  second factor totp';
    yield `  allow_any ${user.allowAny}`;
    const names = [...user.secrets.keys()].filter((name) => !name.includes('.'));
    yield `  secrets ${[...names, ...user.minted.keys()].join(', ') || '(none)'}`;
    for (const minted of user.minted.values()) yield `  ${describeMinted(minted)}`;
    for (const { id, methods, baseUrl, paths, approve } of user.targets) {
      const patterns = paths.map((pattern) => pattern.text).join(', ');
      yield `  target ${id}: ${methods.join(', ')} ${baseUrl.text} ${patterns}`;
      if (approve) {
        const where = approve.paths.map((pattern) => pattern.text).join(', ');
        yield `    needs approval: ${approve.methods.join(', ')} ${where}`;
      }
    }
    for (const { name, targets, expiresAt } of user.keys) {
      const opened = targets ? [...targets].join(', ') : 'all targets';
      const day = expiresAt && `, until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
      yield `  key ${name}: ${opened}${day ?? ''}`;
    }
  }
}
