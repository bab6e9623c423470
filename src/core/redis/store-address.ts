/** The address of a shared store, from `server.store` or an environment variable. */
import { Secret } from '../secrets/secret.ts';

export interface StoreAddress {
  readonly kind: 'server' | 'socket' | 'sentinel' | 'cluster';
  /** Servers, Sentinels, or nodes of the cluster; none with a socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** The path of the socket, or what the Sentinels call the server. */
  readonly name: string;
  readonly isTls: boolean;
  readonly db: number;
  readonly username?: string;
  readonly password?: Secret;
  /** Begins every key and channel. */
  readonly prefix: string;
  /** For display, without the password. */
  readonly text: string;
}

export const STORE_FORM =
  'a store such as "redis://host:6379/0", "rediss://user:password@host:6379", "unix:///run/redis.sock", "redis+sentinel://host1,host2,host3/name" or "redis+cluster://host1,host2"';

const FORM =
  /^(redis|rediss|unix)(\+sentinel|\+cluster)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const HOST = /^(\[[\da-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/;
const PREFIX = /^[\w.:-]{1,64}$/;
const DEFAULT_PREFIX = 'gatehouse:';
const PORT = 6379;
const SENTINEL_PORT = 26_379;

/** Undefined for an invalid address, which is not quoted, since it may contain a password. */
export function parseStoreAddress(text: string): StoreAddress | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, scheme, variant = '', user, password, authority = '', path = '', query = ''] = match;
  const options = new URLSearchParams(query);
  const known = new Set(['prefix', ...(scheme === 'unix' ? ['db'] : [])]);
  if ([...options.keys()].some((name) => !known.has(name))) return undefined;
  const kind = kindOf(scheme!, variant, authority);
  const hosts = hostsOf(authority, variant === '+sentinel' ? SENTINEL_PORT : PORT);
  const prefix = options.get('prefix') ?? DEFAULT_PREFIX;
  if (!kind || !hosts || !PREFIX.test(prefix)) return undefined;
  if (kind === 'socket' ? hosts.length > 0 : hosts.length === 0) return undefined;
  if (kind === 'server' && hosts.length > 1) return undefined;
  const [, first = '', second = ''] = path.split('/');
  const name = kind === 'socket' ? path : kind === 'sentinel' ? first : '';
  if (name === '' && (kind === 'socket' || kind === 'sentinel')) return undefined;
  const number = {
    socket: options.get('db') ?? '',
    server: first,
    sentinel: second,
    cluster: first,
  };
  const db = number[kind] === '' ? '0' : number[kind];
  if (!/^\d{1,3}$/.test(db) || (kind === 'cluster' && db !== '0')) return undefined;
  const credentials = credentialsOf(user, password);
  if (!credentials) return undefined;
  const isTls = scheme === 'rediss';
  const shown = `${scheme}${variant}://${user ? `${user}@` : ''}${authority}${path}`;
  return { kind, hosts, name, isTls, db: Number(db), ...credentials, prefix, text: shown };
}

function kindOf(
  scheme: string,
  variant: string,
  authority: string,
): StoreAddress['kind'] | undefined {
  if (scheme === 'unix') return variant === '' && authority === '' ? 'socket' : undefined;
  if (variant === '') return 'server';
  return variant === '+sentinel' ? 'sentinel' : 'cluster';
}

function hostsOf(authority: string, defaultPort: number): StoreAddress['hosts'] | undefined {
  if (authority === '') return [];
  const hosts = authority.split(',').map((text) => {
    const [, host = '', port = String(defaultPort)] = HOST.exec(text) ?? [];
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  });
  return hosts.every(({ host, port }) => host !== '' && port > 0 && port < 65_536)
    ? hosts
    : undefined;
}

function credentialsOf(
  user = '',
  password = '',
): Pick<StoreAddress, 'username' | 'password'> | undefined {
  try {
    return {
      ...(user && { username: decodeURIComponent(user) }),
      ...(password && { password: new Secret('store password', decodeURIComponent(password)) }),
    };
  } catch {
    return undefined;
  }
}
