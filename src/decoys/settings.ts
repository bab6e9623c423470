/** The settings of the decoys, from their environment variables. */
import { randomBytes } from 'node:crypto';
import { type Environment, EnvironmentReader, type Listen } from '../core/config/environment.ts';
import { type PersonaChoice, parsePersonaChoice } from '../core/config/persona-choice.ts';
import type { Problem } from '../core/config/problems.ts';
import { metricsKeyProblem } from '../core/http/metrics.ts';
import type { Level } from '../core/log/log.ts';
import type { Cidr } from '../core/net/address.ts';
import { Secret } from '../core/secrets/secret.ts';
import type { Definition } from './definitions/definition.ts';
import { type OwnDecoys, readOwnDecoys } from './definitions/own-file.ts';
import type { MetricsSettings } from './serve-metrics.ts';

export interface Settings {
  readonly listen: Listen;
  readonly key: Secret;
  /** True where nobody set a key, so that the tokens of this run are soon forgotten. */
  readonly isKeyRandom: boolean;
  readonly oldKeys: readonly Secret[];
  readonly trustedProxies: readonly Cidr[];
  readonly level: Level;
  /** A copy of the log, for the alerts. */
  readonly logFile: string | undefined;
  /** Only if both are set. */
  readonly metrics: MetricsSettings | undefined;
  readonly persona: PersonaChoice | undefined;
  /** The operator's own decoys. */
  readonly definitions: readonly Definition[];
  /** Of variables that nothing reads. */
  readonly warnings: readonly Problem[];
}

const DEFAULT_LISTEN = ':2021';

/** All problems at once, or the settings. */
export function readSettings(env: Environment): Settings | { readonly problems: Problem[] } {
  const reader = new EnvironmentReader(env);
  const listen = reader.listen('DECOYS_LISTEN', DEFAULT_LISTEN);
  const level = reader.level('DECOYS_LOG_LEVEL');
  const { key, oldKeys } = reader.rotatedKey('DECOYS_KEY', 'DECOYS_OLD_KEYS');
  const trustedProxies = reader.proxies('DECOYS_TRUSTED_PROXIES');
  const logFile = reader.text('DECOYS_LOG_FILE');
  const metrics = readMetrics(reader);
  const persona = readPersona(reader);
  const own = readFile(reader);
  reader.warnOfUnknown('DECOYS_');

  const { warnings } = reader;
  const problems = [...reader.problems, ...own.problems];
  if (!listen || !level || problems.length > 0) return { problems };
  return {
    listen,
    key: key ?? new Secret('DECOYS_KEY', randomBytes(32).toString('base64url')),
    isKeyRandom: key === undefined,
    oldKeys,
    trustedProxies,
    level,
    logFile,
    metrics,
    persona,
    definitions: own.definitions,
    warnings,
  };
}

function readMetrics(reader: EnvironmentReader): MetricsSettings | undefined {
  const [LISTEN, KEY] = ['DECOYS_METRICS_LISTEN', 'DECOYS_METRICS_KEY'] as const;
  const value = reader.hidden(KEY);
  const isListenSet = reader.text(LISTEN) !== undefined;
  const listen = isListenSet ? reader.listen(LISTEN, '') : undefined;
  const key = value && new Secret('metrics key', value.text);
  const problem = key && metricsKeyProblem(key);
  if (problem) return reader.problem(KEY, problem);
  if (isListenSet && !key && reader.text(KEY) === undefined) {
    return reader.problem(KEY, 'is missing; metrics are never served without a key');
  }
  if (key && !isListenSet) {
    return reader.problem(LISTEN, 'is missing; beside the decoys, metrics would give them away');
  }
  return listen && key && { listen, key };
}

/** YAML, such as `{name: Alder, domain: alder.example}`, or `file:` with the path of such a file. */
function readPersona(reader: EnvironmentReader): PersonaChoice | undefined {
  const text = reader.hidden('DECOYS_PERSONA')?.text;
  if (text === undefined) return undefined;
  const choice = parsePersonaChoice(text, { isStandalone: true });
  return 'problem' in choice ? reader.problem('DECOYS_PERSONA', choice.problem) : choice;
}

function readFile(reader: EnvironmentReader): OwnDecoys {
  const path = reader.text('DECOYS_FILE');
  return path === undefined ? { definitions: [], problems: [] } : readOwnDecoys(path);
}
