/**
 * Who may call `/mcp` from a browser.
 *
 * Prevents calls by foreign web pages (a foreign `Origin` is refused) and DNS rebinding, where the name
 * of a page is made to resolve to 127.0.0.1 (a server whose public URL is on loopback refuses any other
 * `Host`). Programs send no `Origin`.
 */
import { memoize } from '../core/memoize.ts';
import { isLoopbackName } from '../core/net/loopback-name.ts';

const PORT = /:\d{1,5}$/;

const isLoopback = memoize((host) => isLoopbackName(host.replace(PORT, '')));

interface OriginGuard {
  /** Whether a request may be served under this `Host`. */
  isHostAllowed(host: string | undefined): boolean;
  /** Whether a page of this origin may call; it then gets its CORS answer. */
  isOriginAllowed(origin: string): boolean;
}

export function originGuard(
  publicUrl: string,
  allowedOrigins: () => readonly string[],
): OriginGuard {
  const own = new URL(publicUrl);
  const isPublishedOnLoopback = isLoopbackName(own.hostname);
  return {
    isHostAllowed: (host) => !isPublishedOnLoopback || (host !== undefined && isLoopback(host)),
    isOriginAllowed: (origin) => {
      if (allowedOrigins().some((allowed) => sameOrigin(allowed, origin))) return true;
      const url = URL.parse(origin);
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
      // Anything beyond scheme, host and port is not an origin a browser sends.
      if (url.origin !== origin.toLowerCase()) return false;
      return url.host === own.host || isLoopbackName(url.hostname);
    },
  };
}

/** Compared as text: origins of private schemes (`vscode-webview://…`) have no other form. */
function sameOrigin(allowed: string, origin: string): boolean {
  return allowed.replace(/\/$/, '').toLowerCase() === origin.toLowerCase();
}

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, *',
  'access-control-max-age': '600',
} as const;

/** The headers that a page may read. */
export const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate';
