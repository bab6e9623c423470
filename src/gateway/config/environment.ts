/** Where the configuration file is; an empty variable is as good as none. */
import type { Environment } from '../../core/environment.ts';

const DEFAULT_CONFIG_PATH = '/etc/gateway/config.yaml';

export function configPath(env: Environment): string {
  return env.GATEWAY_CONFIG || DEFAULT_CONFIG_PATH;
}
