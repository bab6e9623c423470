/** The environment variables of the gateway: the path of its configuration, and misspelt names. */
import { type Environment, unknownVariables } from '../../core/config/environment.ts';
import type { Problem } from '../../core/config/problems.ts';

const DEFAULT_CONFIG_PATH = '/etc/gateway/config.yaml';
const PREFIX = 'GATEWAY_';
const NAMES = ['CONFIG', 'LISTEN', 'PUBLIC_URL', 'LOG_LEVEL', 'LOG_FILE', 'STORE', 'SEAL_KEY'].map(
  (name) => PREFIX + name,
);
const REFERENCE = /env:(\w+)/g;

/** An empty variable counts as unset. */
export function configPath(env: Environment): string {
  return env.GATEWAY_CONFIG || DEFAULT_CONFIG_PATH;
}

/** A variable that the configuration refers to is known, whatever its name. */
export function misspeltVariables(env: Environment, text: string): Problem[] {
  const referred = [...text.matchAll(REFERENCE)].map(([, name]) => name!);
  return unknownVariables(env, PREFIX, new Set([...NAMES, ...referred]));
}
