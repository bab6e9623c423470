/**
 * Steps 2, 3 and 7 of the HTTP door: the request `/via/<target>/<path>?<query>` as the request
 * `<base_url>/<path>?<query>` to the named target.
 */
import type { Target, User } from '../config/config.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest, RequestBody } from '../request/request.ts';
import { parseRequestUrl, type RequestUrl } from '../request/request-url.ts';
import { accepts } from '../steps/match-target.ts';
import { namesIn } from './connection-header.ts';
import type { Admitted } from './presented-key.ts';

export const DOOR_PREFIX = '/via/';
/** Stands for the base URL of a target that does not exist: step 2 comes before step 3. */
const NO_TARGET = 'https://unknown-target.invalid';

/** What a path below `/via/` names, as given but for the target. */
export interface DoorPath {
  readonly targetId: string;
  /** With its slash; empty where nothing follows the target. */
  readonly path: string;
  readonly query: string;
}

/** Undefined for a path that is not below `/via/`. */
export function parseDoorPath(url: string): DoorPath | undefined {
  if (!url.startsWith(DOOR_PREFIX)) return undefined;
  const [, id = '', path = '', query = ''] =
    /^([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url.slice(DOOR_PREFIX.length)) ?? [];
  return { targetId: decoded(id), path, query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface DoorCall {
  readonly path: DoorPath;
  readonly method: string;
  readonly admitted: Admitted;
  readonly body: RequestBody | undefined;
}

export function parseDoorRequest(
  { path: { targetId, path }, method, admitted, body }: DoorCall,
  user: User,
): ModelRequest {
  const base = targetOf(user, targetId)?.baseUrl.text.replace(/\/+$/, '') ?? NO_TARGET;
  const url = parseRequestUrl(`${base}${path}${admitted.query && `?${admitted.query}`}`);
  if ('problem' in url) throw new Refusal('invalid_url', url.problem);
  return { url, method, headers: forwardedHeaders(admitted.headers), body, becameGet: false };
}

/** The named target alone: neither the order of targets nor `allow_any` plays a part. */
export function matchNamedTarget(
  { path: { targetId }, admitted: { key } }: DoorCall,
  user: User,
  url: RequestUrl,
): Target {
  const target = targetOf(user, targetId);
  if (!target || key.targets?.has(targetId) === false) {
    throw new Refusal('no_target', 'this key opens no target of that name');
  }
  if (accepts(target, url)) return target;
  throw new Refusal('no_target', 'the target does not accept this path; see its path patterns');
}

function targetOf(user: User, id: string): Target | undefined {
  return user.targets.find((target) => target.id === id);
}

/**
 * Every client and proxy sends headers for the connection to the gateway. They are dropped, where a
 * model that sets them over MCP is refused. Whatever else is reserved is refused by step 7.
 */
function forwardedHeaders(headers: Admitted['headers']): Record<string, string> {
  const hopByHop = namesIn(headers.get('connection') ?? '');
  const forwarded: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const isDropped = CONNECTION_HEADERS.has(name) || name.startsWith('x-forwarded-');
    if (!isDropped && !hopByHop.includes(name)) forwarded[name] = value;
  }
  return forwarded;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'accept-encoding', 'expect'],
  // Hop-by-hop: RFC 9110, section 7.6.1.
  ...['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
  ...['forwarded', 'via', 'x-real-ip', 'cookie'],
  // Passed on with the call, and no part of what is approved.
  ...['traceparent', 'tracestate'],
]);
