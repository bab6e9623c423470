/**
 * The headers of an answer through the HTTP door.
 *
 * Prevents an upstream from attacking the gateway's own origin, which also serves the sign-in form
 * (stored XSS, CWE-79): an answer never runs, is never framed or cached by others, and headers that
 * would change how a browser treats the origin are dropped. `Location` is rewritten so that an SDK
 * that follows it sends its key to the gateway, never to another host.
 */
import { memoize } from '../../core/memoize.ts';
import type { Target } from '../config/config.ts';
import type { RequestUrl } from '../request/request-url.ts';
import { formatUrl, parseRequestUrl } from '../request/request-url.ts';
import { namesIn } from './connection-header.ts';
import { DOOR_PREFIX } from './door-request.ts';

/** On every answer of the door, refusals included. */
export const DOOR_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
};
const OWN = Object.entries(DOOR_HEADERS).flat();

const DROPPED: ReadonlySet<string> = new Set([
  // Hop-by-hop.
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
  // What a browser would apply to the origin of the gateway.
  ...['content-security-policy-report-only', 'strict-transport-security', 'clear-site-data'],
  ...['service-worker-allowed', 'refresh', 'link', 'alt-svc', 'set-cookie', 'set-cookie2'],
  // The body is decoded, and its length may change.
  ...['content-encoding', 'content-length'],
  ...Object.keys(DOOR_HEADERS),
]);

/** Names and values in turn. */
export function answerHeaders(
  clean: Readonly<Record<string, string>>,
  target: Target,
  requested: RequestUrl,
): string[] {
  const headers = [...OWN];
  const hopByHop = namesIn(clean.connection ?? '');
  for (const name in clean) {
    if (isDropped(name) || hopByHop.includes(name)) continue;
    const value = clean[name]!;
    const sent = name === 'location' ? rewriteLocation(value, target, requested) : value;
    if (sent !== undefined) headers.push(name, latin1Value(sent));
  }
  return headers;
}

const isDropped = memoize(
  (name) => DROPPED.has(name) || name.startsWith('access-control-') || !HEADER_NAME.test(name),
);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** Headers are written as Latin-1; UTF-8 goes out as it came in. */
function latin1Value(value: string): string {
  return /^[\t\x20-\x7e]*$/.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1');
}

/** The same place behind the door; undefined for a place outside `base_url`. */
function rewriteLocation(
  location: string,
  { id, baseUrl }: Target,
  requested: RequestUrl,
): string | undefined {
  const url = URL.parse(location, formatUrl(requested));
  const place = url && parseRequestUrl(url.href);
  if (!place || 'problem' in place || place.hadTrailingDot) return undefined;
  const { scheme, host, port } = place;
  if (scheme !== baseUrl.scheme || host !== baseUrl.host || port !== baseUrl.port) return undefined;
  const base = new URL(baseUrl.text).pathname.replace(/\/+$/, '');
  if (place.sendPath !== base && !place.sendPath.startsWith(`${base}/`)) return undefined;
  const query = place.query && `?${place.query}`;
  const rest = place.sendPath.slice(base.length);
  return `${DOOR_PREFIX}${encodeURIComponent(id)}${rest}${query}${url.hash}`;
}
