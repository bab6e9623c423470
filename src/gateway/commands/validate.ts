/** `validate [path]`: every problem at once, or a summary of what would run. Never a value. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { formatProblem, INSTALLATION } from '../../core/config/problems.ts';
import { hashingProblem } from '../../core/secrets/password.ts';
import { ActiveConfig } from '../config/active-config.ts';
import type { Config } from '../config/config.ts';
import { configPath } from '../config/environment.ts';
import { readConfig } from '../config/read-config.ts';
import { poorSecrets } from '../config/report.ts';

export async function validate(
  path: string | undefined,
  env: Environment,
  output: Output,
): Promise<number> {
  const file = path ?? configPath(env);
  const { config, problems } = readConfig(file, { env });
  for (const problem of problems.errors) output.err(formatProblem(problem));
  for (const warning of problems.warnings) output.err(`warning: ${formatProblem(warning)}`);
  if (!config) {
    const count = problems.errors.length;
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
  // A description or a URL may hold, by mistake, what is also a secret.
  const { clean } = new ActiveConfig(config);
  for (const line of summary(file, config)) output.out(clean(line));
  return 0;
}

function* summary(file: string, { server, users }: Config): Iterable<string> {
  yield `OK ${file}`;
  yield `public_url ${server.publicUrl}`;
  yield `listen ${server.listen.text}`;
  if (server.allowNetworks.length > 0) {
    yield `allow_networks ${server.allowNetworks.map((cidr) => cidr.text).join(', ')}`;
  }
  if (server.metrics) yield `metrics ${server.metrics.listen?.text ?? 'on the public listener'}`;
  if (server.decoys) yield 'decoys on';
  for (const user of users.values()) {
    yield `user ${user.name}`;
    yield `  allow_any ${user.allowAny}`;
    yield `  secrets ${[...user.secrets.keys()].join(', ') || '(none)'}`;
    for (const { id, methods, baseUrl, paths } of user.targets) {
      const patterns = paths.map((pattern) => pattern.text).join(', ');
      yield `  target ${id}: ${methods.join(', ')} ${baseUrl.text} ${patterns}`;
    }
    for (const { name, targets, expiresAt } of user.keys) {
      const opened = targets ? [...targets].join(', ') : 'all targets';
      const day = expiresAt && `, until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
      yield `  key ${name}: ${opened}${day ?? ''}`;
    }
  }
}
