/** What the environment says; an empty variable is as good as none. */
export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_CONFIG_PATH = '/etc/gateway/config.yaml';

export function configPath(env: Environment): string {
  return env.GATEWAY_CONFIG || DEFAULT_CONFIG_PATH;
}
