/** The settings of the decoys, from their environment variables. */
import { randomBytes } from 'node:crypto';
import { type Environment, EnvironmentReader, type Listen } from '../core/config/environment.ts';
import type { Problem } from '../core/config/problems.ts';
import type { Level } from '../core/log/log.ts';
import type { Cidr } from '../core/net/address.ts';
import { Secret } from '../core/secrets/secret.ts';

export interface Settings {
  readonly listen: Listen;
  readonly key: Secret;
  /** True where nobody set a key, so that the tokens of this run are soon forgotten. */
  readonly isKeyRandom: boolean;
  readonly oldKeys: readonly Secret[];
  readonly trustedProxies: readonly Cidr[];
  readonly level: Level;
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
  reader.warnOfUnknown('DECOYS_');

  const { problems, warnings } = reader;
  if (!listen || !level || problems.length > 0) return { problems };
  return {
    listen,
    key: key ?? new Secret('DECOYS_KEY', randomBytes(32).toString('base64url')),
    isKeyRandom: key === undefined,
    oldKeys,
    trustedProxies,
    level,
    warnings,
  };
}
