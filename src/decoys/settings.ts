/** The settings of the decoys, from their environment variables. */
import { randomBytes } from 'node:crypto';
import { type Cidr, cidrContains, parseAddress, parseCidr } from '../core/address.ts';
import { type ListenAddress, parseListen } from '../core/listen.ts';
import { LEVELS, type Level } from '../core/log.ts';
import { type Problem, quote } from '../core/problems.ts';
import { resolveValue } from '../core/value.ts';
import { MIN_KEY_LENGTH } from './honeytoken.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly listen: ListenAddress & { readonly text: string };
  readonly key: string;
  /** True where nobody set a key, so that the tokens of this run are soon forgotten. */
  readonly isKeyRandom: boolean;
  readonly oldKeys: readonly string[];
  readonly trustedProxies: readonly Cidr[];
  readonly level: Level;
}

const DEFAULT_LISTEN = ':2021';

/** All problems at once, or the settings. */
export function readSettings(env: Environment): Settings | { readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const problem = (key: string, message: string) =>
    problems.push({ file: 'environment', key, message });

  const text = env.DECOYS_LISTEN || DEFAULT_LISTEN;
  const listen = parseListen(text);
  if (!listen) problem('DECOYS_LISTEN', `${quote(text)} is not :port, host:port or [v6]:port`);

  const level = env.DECOYS_LOG_LEVEL || 'info';
  if (!isLevel(level)) {
    problem('DECOYS_LOG_LEVEL', `${quote(level)} is not one of ${LEVELS.join(', ')}`);
  }

  const readKey = (name: string, value: string): string => {
    const resolved = resolveValue(value, { env }, false);
    if (resolved.kind !== 'plain')
      problem(name, resolved.kind === 'problem' ? resolved.message : '');
    else if (resolved.text.length >= MIN_KEY_LENGTH) return resolved.text;
    else problem(name, `a key has at least ${MIN_KEY_LENGTH} characters`);
    return '';
  };
  const key = env.DECOYS_KEY ? readKey('DECOYS_KEY', env.DECOYS_KEY) : undefined;
  const oldKeys = list(env.DECOYS_OLD_KEYS).map((value) => readKey('DECOYS_OLD_KEYS', value));

  const trustedProxies = list(env.DECOYS_TRUSTED_PROXIES).flatMap((value) => {
    const cidr = parseCidr(value);
    if (cidr !== undefined && cidr.bits > 0) return [cidr];
    const message =
      value === '*' || cidr
        ? `${quote(value)} would let every client forge its address; name the networks of your proxies`
        : `${quote(value)} is not a network such as 10.0.0.0/8 or fd00::/8`;
    problem('DECOYS_TRUSTED_PROXIES', message);
    return [];
  });

  if (!listen || !isLevel(level) || problems.length > 0) return { problems };
  return {
    listen: { ...listen, text },
    key: key ?? randomBytes(32).toString('base64url'),
    isKeyRandom: key === undefined,
    oldKeys,
    trustedProxies,
    level,
  };
}

export function isTrusted(trustedProxies: readonly Cidr[], peer: string): boolean {
  const address = parseAddress(peer);
  return address !== undefined && trustedProxies.some((cidr) => cidrContains(cidr, address));
}

function list(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap((item) => item.trim() || []);
}

function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}
