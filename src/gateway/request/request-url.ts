/**
 * Parses the URL of a request so that every later layer interprets it alike.
 *
 * Prevents parser differentials: the path that is matched against the allow-list is not the path
 * that the upstream serves (`/public/%2e%2e/admin`, `/public/..;/admin`,
 * `/public%5c..%5cadmin`), or the host that is checked is not the host that is called
 * (`https://good@evil`, `https:\\evil`). `new URL()` folds most of these silently, so the
 * raw string is judged first. What is ambiguous is refused; the rest has one reading:
 *
 * - `matchPath` is decoded once, `%2F` counting as `/`, with `//` and `/./` folded.
 * - `sendPath` is the given path with the same folding. Characters that a URL cannot hold (a
 *   space, quotes, angle brackets, letters beyond ASCII) are percent-encoded as `new URL()`
 *   does; no other byte changes, and no later layer will change one: it is a fixed point.
 * - The bytes of the query are kept, but for spaces and letters beyond ASCII, which are
 *   percent-encoded. A fragment is dropped, since it is never sent.
 */
import { memoize } from '../../core/memoize.ts';

/** Servers accept no longer ones; bounds the work for a hostile URL. */
const MAX_URL = 16_384;
/** A path with nothing to refuse, decode or fold, as most are. */
const EASY_PATH = /^(?:\/[A-Za-z0-9_~-]+(?:\.[A-Za-z0-9_~-]+)*)+\/?$/;
/** A path that `new URL()` leaves as it is. */
const PLAIN_PATH = /^[A-Za-z0-9/._~%!$&()*+,;=:@-]*$/;
/** A DNS name has at most 253 characters; a port adds six. */
const MAX_AUTHORITY = 300;

export const DEFAULT_PORTS = { http: 80, https: 443 } as const;

export interface RequestUrl {
  readonly scheme: 'http' | 'https';
  /** Lower case, in its ASCII form, addresses canonical, IPv6 in brackets, without trailing dots. */
  readonly host: string;
  /** Whether a dot stood after the host. Such a host matches no target. */
  readonly hadTrailingDot: boolean;
  readonly port: number;
  /** The decoded path that patterns are matched against. Its segments are never empty, `.` or `..`. */
  readonly matchPath: string;
  /** The path to put on the wire. */
  readonly sendPath: string;
  /** The query to put on the wire, without the question mark; empty where there is none. */
  readonly query: string;
}

export function parseRequestUrl(raw: string): RequestUrl | { problem: string } {
  if (raw.length > MAX_URL) return { problem: `the URL is longer than ${MAX_URL} characters` };
  if (/\p{Cc}/u.test(raw)) return { problem: 'the URL contains a control character' };
  if (raw !== raw.trim()) return { problem: 'the URL begins or ends with white space' };
  if (!raw.isWellFormed()) return { problem: 'the URL contains half a surrogate pair' };

  const parts = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(raw);
  if (parts === null) return { problem: 'the URL must begin with http:// or https://' };
  const [, prefix = '', authority = '', path = '', query = ''] = parts;

  const isEasy = EASY_PATH.test(path);
  const problem =
    authorityProblem(authority) ?? (isEasy ? undefined : pathProblem(path)) ?? queryProblem(query);
  if (problem !== undefined) return { problem };
  const origin = readOrigin(`${prefix}://${authority}`);
  if (origin === undefined) return { problem: 'the host or port of the URL is not valid' };

  const { protocol, hostname, port } = origin;
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const host = hostname.replace(/\.+$/, '');
  if (host === '') return { problem: 'the URL has no host' };
  if (port === '0') return { problem: 'port 0 cannot be connected to' };
  const folded = isEasy ? path : foldPath(path || '/');
  return {
    scheme,
    host,
    hadTrailingDot: /[.\u3002\uff0e\uff61](:[0-9]*)?$/.test(authority),
    port: port === '' ? DEFAULT_PORTS[scheme] : Number(port),
    matchPath: isEasy ? folded : decodeURIComponent(folded),
    sendPath: PLAIN_PATH.test(folded) ? folded : new URL(`http://host${folded}`).pathname,
    query: query === '' ? query : query.replace(/[^\x21-\x7e]/gu, encodeURIComponent),
  };
}

const readOrigin = memoize((text) => {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const { protocol, hostname, port } = url;
  return { protocol, hostname, port };
});

/** Writes the URL as one string, with another query where one is given (a masked one, say). */
export function formatUrl(url: RequestUrl, query = url.query): string {
  const dot = url.hadTrailingDot ? '.' : '';
  const port = url.port === DEFAULT_PORTS[url.scheme] ? '' : `:${url.port}`;
  const search = query === '' ? '' : `?${query}`;
  return `${url.scheme}://${url.host}${dot}${port}${url.sendPath}${search}`;
}

/** Whether a path is the base path or below it. Neither ends in a slash, save the path of the root. */
export function isUnder(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`);
}

function authorityProblem(authority: string): string | undefined {
  if (authority.includes('\\')) return 'the URL contains a backslash';
  if (authority === '') return 'the URL has no host';
  if (authority.length > MAX_AUTHORITY) return 'the host is longer than a host can be';
  if (authority.includes('@')) return 'the URL contains credentials; leave out everything before @';
  if (authority.includes('%')) return 'the host contains %; write it plainly, without a zone id';
  return undefined;
}

/** Checks the path as given and after each of three decodings, for servers that decode repeatedly. */
function pathProblem(path: string): string | undefined {
  let text = path;
  for (let round = 0; round <= 3; round += 1) {
    if (text.includes('..')) return 'the path contains ".."';
    if (text.includes('\\')) return 'the path contains a backslash';
    // A decoded byte of 0x80 to 0x9f may be part of a character in UTF-8, which is checked below.
    if (/[\x00-\x1f\x7f]/.test(text)) return 'the path contains a control character';
    if (!text.includes('%')) break;
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
  // Refused here as well: overlong spellings of "." and "/" that some servers decode.
  if (!isDecodable(path)) return 'the path contains a % that does not encode UTF-8; write % as %25';
  if (/\p{Cc}/u.test(decodeURIComponent(path))) return 'the path contains a control character';
  return undefined;
}

export function queryProblem(query: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(query)) return 'the query contains a stray %; write it as %25';
  return query.includes('%00') ? 'the query contains %00' : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes empty and `.` segments, where both `/` and `%2F` separate. Of several separators in a
 * row one stays: a plain `/` if there is one, so that a server which does not decode `%2F`
 * routes by the same segments.
 */
function foldPath(path: string): string {
  let folded = '';
  let separator = '';
  for (const part of path.split(/(\/|%2f)/i)) {
    if (part === '/' || /^%2f$/i.test(part)) {
      separator = separator === '' || part === '/' ? part : separator;
    } else if (part !== '' && part !== '.' && !/^%2e$/i.test(part)) {
      folded += separator + part;
      separator = '';
    }
  }
  return folded + separator;
}
