/** Logs the warnings of a configuration, and its short and weak secrets. */

import type { ExecValues } from '../../core/config/exec-values.ts';
import { formatProblem, type Problems } from '../../core/config/problems.ts';
import type { Log } from '../../core/log/log.ts';
import { REDACTION_FLOOR } from '../../core/secrets/secret.ts';
import type { Config } from './config.ts';

export function reportWarnings(config: Config, { warnings }: Problems, log: Log): void {
  for (const warning of warnings) log.warn('config_error', { message: formatProblem(warning) });
  for (const { isShort, user, secret, problem } of poorSecrets(config)) {
    const fields = { user, secret, message: `the secret ${problem}` };
    if (isShort) log.warn('short_secret', fields);
    else log.warn('weak_secret', fields);
  }
}

/** What programs of `exec:` wrote to standard error. */
export function reportPrograms(exec: ExecValues, log: Log): void {
  for (const { program, text } of exec.takeComplaints()) {
    log.warn('exec_stderr', { program, message: text });
  }
}

interface PoorSecret {
  readonly isShort: boolean;
  readonly user: string;
  /** Its name; nothing here reveals the value or its length. */
  readonly secret: string;
  readonly problem: string;
}

/** Secrets that redaction cannot protect: too short, or guessable. */
export function* poorSecrets(config: Config): Iterable<PoorSecret> {
  for (const user of config.users.values()) {
    for (const secret of user.secrets.values()) {
      const names = { user: user.name, secret: secret.name };
      if (secret.length < REDACTION_FLOOR) {
        const problem = `has fewer than ${REDACTION_FLOOR} characters and is not redacted from answers`;
        yield { isShort: true, ...names, problem };
      } else if (secret.isEnumerable) {
        const problem =
          'can be guessed: an upstream that echoes guesses shows the right one by its redaction; use a random value';
        yield { isShort: false, ...names, problem };
      }
    }
  }
}
