/** What the log says of a configuration in force: its warnings, its short secrets. */
import type { Log } from '../../core/log.ts';
import { formatProblem, type Problems } from '../../core/problems.ts';
import type { Config } from './config.ts';

/** Shorter secrets are not redacted: they would turn up in answers by chance. */
const REDACTION_FLOOR = 8;

export function reportWarnings(config: Config, { warnings }: Problems, log: Log): void {
  for (const warning of warnings) log.warn('config_error', { message: formatProblem(warning) });
  for (const [user, secret] of shortSecrets(config)) {
    const message = 'the secret has fewer than 8 characters and is not redacted from answers';
    log.warn('short_secret', { user, secret, message });
  }
}

/** The names of secrets under the redaction floor, each with its user. */
export function* shortSecrets(config: Config): Iterable<[user: string, secret: string]> {
  for (const user of config.users.values()) {
    for (const secret of user.secrets.values()) {
      if (secret.length < REDACTION_FLOOR) yield [user.name, secret.name];
    }
  }
}
