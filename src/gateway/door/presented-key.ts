/**
 * Step 1 of the HTTP door: the key that a request presents, wherever its client puts API keys, and
 * the request without it.
 *
 * Prevents a leak of the key to the upstream: every place that holds it is removed before anything
 * else looks at the request, and a request that holds it elsewhere is refused. A key is looked up by
 * its SHA-256 digest, so no comparison depends on how much of a guess is right.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Config, DoorKey } from '../config/config.ts';
import { digestOf } from '../config/read-keys.ts';

/** Where SDKs put an API key, whatever the target injects. */
const KEY_HEADERS = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'private-token',
] as const;
const MIN_KEY_CHARACTERS = 32;

export type Headers = ReadonlyMap<string, string>;

export interface Admitted {
  readonly kind: 'admitted';
  readonly key: DoorKey;
  /** Lower-case names; without those that held the key. */
  readonly headers: Headers;
  /** Without the parameters that held the key. */
  readonly query: string;
}

export type Presented =
  | Admitted
  | { readonly kind: 'unknown' }
  /** More than one key, or a key where it would be sent on. */
  | { readonly kind: 'ambiguous'; readonly message: string };

/** The keys of a configuration by digest, and for each target id where clients present a key. */
export class KeyRing {
  readonly #byDigest = new Map<string, DoorKey>();
  readonly #headersOf = new Map<string, Set<string>>();
  readonly #parametersOf = new Map<string, Set<string>>();

  constructor({ users }: Pick<Config, 'users'>) {
    for (const { keys, targets } of users.values()) {
      for (const key of keys) this.#byDigest.set(key.digest, key);
      for (const { id, inject } of keys.length > 0 ? targets : []) {
        addAll(this.#headersOf, id, inject.headers.keys());
        addAll(this.#parametersOf, id, inject.query.keys());
      }
    }
  }

  get isEmpty(): boolean {
    return this.#byDigest.size === 0;
  }

  /** Whether the key is still configured, unchanged. */
  has({ digest, user, name }: DoorKey): boolean {
    const known = this.#byDigest.get(digest);
    return known !== undefined && known.user === user && known.name === name;
  }

  present(
    targetId: string,
    { headers, query }: { headers: Headers; query: string },
    now: number,
  ): Presented {
    const found = new Map<string, DoorKey>();
    const holdsKey = (text: string): boolean => {
      const key = text.length < MIN_KEY_CHARACTERS ? undefined : this.#byDigest.get(digestOf(text));
      if (key) found.set(text, key);
      return key !== undefined;
    };
    const names = new Set([...KEY_HEADERS, ...(this.#headersOf.get(targetId) ?? [])]);
    const left = new Map(headers);
    for (const name of names) {
      const value = headers.get(name);
      if (value !== undefined && candidatesIn(value).some(holdsKey)) left.delete(name);
    }
    const rest = withoutParameters(query, this.#parametersOf.get(targetId), holdsKey);
    const [first, ...others] = found;
    if (first === undefined) return { kind: 'unknown' };
    const [text, key] = first;
    if (others.length > 0) {
      return { kind: 'ambiguous', message: 'the request holds two different keys; send one' };
    }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'unknown' };
    if ([rest, ...left.values()].some((value) => value.includes(text))) {
      const message =
        'the key is also where it would be sent on; send it once, as the API key of your client';
      return { kind: 'ambiguous', message };
    }
    return { kind: 'admitted', key, headers: left, query: rest };
  }
}

function addAll(map: Map<string, Set<string>>, id: string, names: Iterable<string>): void {
  const known = map.get(id) ?? new Set();
  for (const name of names) known.add(name.toLowerCase());
  map.set(id, known);
}

/** The whole value, what follows a scheme such as `Bearer`, and both parts of Basic. */
function candidatesIn(value: string): string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+) +(\S+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const [user = '', ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return password.join(':') === '' ? [user] : [password.join(':')];
}

/** The query without the parameters of these names whose value is a key; other bytes stay. */
function withoutParameters(
  query: string,
  names: ReadonlySet<string> | undefined,
  holdsKey: (text: string) => boolean,
): string {
  if (!names?.size || query === '') return query;
  const pieces = query.split('&');
  const left = pieces.filter((piece) => {
    const [[name, value] = ['', '']] = new URLSearchParams(piece);
    return !names.has(name.toLowerCase()) || !holdsKey(value);
  });
  return left.length === pieces.length ? query : left.join('&');
}

/** Repeated headers are joined; values are read as UTF-8 where they are, so that they are sent so. */
export function headersOf(raw: IncomingHttpHeaders): Headers {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}
