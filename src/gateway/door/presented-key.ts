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

export interface Admitted {
  readonly kind: 'admitted';
  readonly key: DoorKey;
  /** Lower-case names; repeated headers are joined; without those that held the key. */
  readonly headers: ReadonlyMap<string, string>;
  /** Without the parameters that held the key. */
  readonly query: string;
}

export type Presented =
  | Admitted
  | { readonly kind: 'unknown' }
  /** More than one key, or a key where it would be sent on. */
  | { readonly kind: 'ambiguous'; readonly message: string };

/** Where clients of a target present a key. */
interface Places {
  readonly headers: Set<string>;
  readonly parameters: Set<string>;
}

/** The keys of a configuration by digest, and for each target id where clients present a key. */
export class KeyRing {
  readonly #byDigest = new Map<string, DoorKey>();
  readonly #placesOf = new Map<string, Places>();

  constructor({ users }: Pick<Config, 'users'>) {
    for (const { keys, targets } of users.values()) {
      for (const key of keys) this.#byDigest.set(key.digest, key);
      for (const { id, inject } of keys.length > 0 ? targets : []) {
        const places = this.#placesOf.get(id) ?? placesOfAnyTarget();
        for (const name of inject.headers.keys()) places.headers.add(name.toLowerCase());
        for (const name of inject.query.keys()) places.parameters.add(name.toLowerCase());
        this.#placesOf.set(id, places);
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
    { headers, query }: { headers: IncomingHttpHeaders; query: string },
    now: number,
  ): Presented {
    let found: { readonly text: string; readonly key: DoorKey } | undefined;
    let hasTwoKeys = false;
    const holdsKey = (text: string): boolean => {
      const key = text.length < MIN_KEY_CHARACTERS ? undefined : this.#byDigest.get(digestOf(text));
      if (key === undefined) return false;
      hasTwoKeys ||= found !== undefined && found.text !== text;
      found ??= { text, key };
      return true;
    };
    const places = this.#placesOf.get(targetId) ?? ANY_TARGET;
    const left = new Map<string, string>();
    for (const name in headers) {
      const value = String(headers[name]);
      if (!places.headers.has(name) || !candidatesIn(value).some(holdsKey)) left.set(name, value);
    }
    const rest = withoutParameters(query, places.parameters, holdsKey);
    if (found === undefined) return { kind: 'unknown' };
    const { text, key } = found;
    if (hasTwoKeys) {
      return { kind: 'ambiguous', message: 'the request holds two different keys; send one' };
    }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'unknown' };
    if (rest.includes(text) || left.values().some((value) => value.includes(text))) {
      const message =
        'the key is also where it would be sent on; send it once, as the API key of your client';
      return { kind: 'ambiguous', message };
    }
    return { kind: 'admitted', key, headers: left, query: rest };
  }
}

const placesOfAnyTarget = (): Places => ({ headers: new Set(KEY_HEADERS), parameters: new Set() });
const ANY_TARGET = placesOfAnyTarget();

/** The whole value, what follows a scheme such as `Bearer`, and both parts of Basic. */
function candidatesIn(value: string): string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+) +(\S+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credentials, value];
  const [user = '', ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return password.join(':') === '' ? [user] : [password.join(':')];
}

/** The query without the parameters of these names whose value is a key; other bytes stay. */
function withoutParameters(
  query: string,
  names: ReadonlySet<string>,
  holdsKey: (text: string) => boolean,
): string {
  if (names.size === 0 || query === '') return query;
  const pieces = query.split('&');
  const left = pieces.filter((piece) => {
    const [[name, value] = ['', '']] = new URLSearchParams(piece);
    return !names.has(name.toLowerCase()) || !holdsKey(value);
  });
  return left.length === pieces.length ? query : left.join('&');
}
