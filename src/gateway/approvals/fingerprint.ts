/**
 * What an approval is bound to: HMAC-SHA256 over every field of one exact request, each with its
 * length before it, so that no other request has the same fingerprint (CWE-294, CWE-345).
 */
import { createHmac, hash, type KeyObject } from 'node:crypto';
import type { Target } from '../config/config.ts';
import type { ModelRequest } from '../request/request.ts';
import { formatUrl } from '../request/request-url.ts';

export interface Asker {
  readonly user: string;
  readonly incarnation: string;
  /** The registered client, or the key of the HTTP door. */
  readonly client: string;
}

export function fingerprintOf(
  { user, incarnation, client }: Asker,
  target: Target,
  { method, url, headers, body }: ModelRequest,
  key: KeyObject,
): string {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  named.sort(([one], [other]) => (one! < other! ? -1 : 1));
  const hmac = createHmac('sha256', key);
  for (const field of [
    ...[user, incarnation, client, targetHash(target), method, formatUrl(url)],
    ...[String(named.length), ...named.flat()],
    ...(body === undefined ? [] : [body]),
  ] as (string | Buffer)[]) {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(Buffer.byteLength(field)));
    hmac.update(length).update(field);
  }
  return hmac.digest('base64url');
}

const hashes = new WeakMap<Target, string>();

/** Of all that the configuration says of the target; of a secret, its name. */
export function targetHash(target: Target): string {
  const known = hashes.get(target);
  if (known !== undefined) return known;
  const text = JSON.stringify(target, (_name, value) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
  const fresh = hash('sha256', text, 'base64url');
  hashes.set(target, fresh);
  return fresh;
}
