/** Reads the password and the keys, none of which is ever shown. */
import type { EnvironmentReader, Listen } from '../core/config/environment.ts';
import {
  type MountedDecoys,
  type PersonaChoice,
  parsePersonaChoice,
} from '../core/config/persona-choice.ts';
import { metricsKeyProblem } from '../core/http/metrics.ts';
import { bcryptPassword, literalPassword, type Password } from '../core/secrets/password.ts';
import { MIN_KEY_LENGTH, Secret } from '../core/secrets/secret.ts';
import { totpProblem } from '../core/secrets/totp.ts';
import { MALFORMED_HASH, passwordWarning } from '../core/secrets/weak-password.ts';

export interface ReadPassword {
  readonly password: Password;
  /** The password or its hash, for redaction from the log. */
  readonly hidden: Secret;
}

export function readPassword(reader: EnvironmentReader): ReadPassword | undefined {
  const name = 'NOTES_PASSWORD';
  if (reader.text(name) === undefined) {
    return reader.problem(name, 'is missing; make one with the hashpw command');
  }
  const value = reader.hidden(name, { allowHash: true });
  if (value === undefined) return undefined;
  const isHash = value.kind === 'bcrypt';
  const warning = isHash ? undefined : passwordWarning(reader.text(name)!, value.text);
  if (warning !== undefined) reader.warn(name, warning);
  const password = isHash ? bcryptPassword(value.text) : literalPassword(value.text);
  if (password) return { password, hidden: new Secret('password', value.text) };
  return reader.problem(name, MALFORMED_HASH);
}

/** An invalid key is refused even while metrics are off. */
export function readMetrics(
  reader: EnvironmentReader,
  main: Listen | undefined,
): { readonly key: Secret; readonly listen?: Listen } | undefined {
  const isOn = reader.boolean('NOTES_METRICS');
  const value = reader.hidden('NOTES_METRICS_KEY');
  const isListenSet = reader.text('NOTES_METRICS_LISTEN') !== undefined;
  const listen = isListenSet ? reader.listen('NOTES_METRICS_LISTEN', '') : undefined;
  const key = value && new Secret('metrics key', value.text);
  const problem = key && metricsKeyProblem(key);
  if (problem) return reader.problem('NOTES_METRICS_KEY', problem);
  if (!isOn) {
    for (const name of ['NOTES_METRICS_KEY', 'NOTES_METRICS_LISTEN']) {
      if (reader.text(name)) reader.warn(name, 'does nothing unless NOTES_METRICS is true');
    }
    return undefined;
  }
  if (listen && main && meet(listen, main)) {
    const message = `${listen.text} is taken by NOTES_LISTEN; give it another port, or none at all`;
    return reader.problem('NOTES_METRICS_LISTEN', message);
  }
  if (key) return { key, ...(listen && { listen }) };
  if (reader.text('NOTES_METRICS_KEY') !== undefined) return undefined;
  const message = `is missing; metrics are never served without a key of at least ${MIN_KEY_LENGTH} characters`;
  return reader.problem('NOTES_METRICS_KEY', message);
}

/** Whether two addresses conflict; port 0 is chosen by the system and never does. */
function meet(one: Listen, other: Listen): boolean {
  const isEverywhere = one.host === undefined || other.host === undefined;
  return one.port === other.port && one.port !== 0 && (isEverywhere || one.host === other.host);
}

export function readDecoys(reader: EnvironmentReader): MountedDecoys | undefined {
  const { key, oldKeys } = reader.rotatedKey('NOTES_DECOYS_KEY', 'NOTES_DECOYS_OLD_KEYS');
  const file = reader.text('NOTES_DECOYS_FILE');
  const persona = readDecoysPersona(reader);
  if (key !== undefined) {
    return { key, oldKeys, ...(file !== undefined && { file }), ...(persona && { persona }) };
  }
  if (oldKeys.length > 0) {
    reader.warn('NOTES_DECOYS_OLD_KEYS', 'does nothing unless NOTES_DECOYS_KEY is set');
  }
  for (const name of ['NOTES_DECOYS_FILE', 'NOTES_DECOYS_PERSONA']) {
    if (reader.text(name)) reader.warn(name, 'does nothing unless NOTES_DECOYS_KEY is set');
  }
  return undefined;
}

function readDecoysPersona(reader: EnvironmentReader): PersonaChoice | undefined {
  const text = reader.hidden('NOTES_DECOYS_PERSONA')?.text;
  if (text === undefined) return undefined;
  const choice = parsePersonaChoice(text);
  return 'problem' in choice ? reader.problem('NOTES_DECOYS_PERSONA', choice.problem) : choice;
}

export function readTotp(reader: EnvironmentReader): Secret | undefined {
  const value = reader.hidden('NOTES_TOTP');
  const secret = value && new Secret('second factor', value.text);
  const problem = secret && totpProblem(secret);
  return problem === undefined ? secret : reader.problem('NOTES_TOTP', problem);
}
