/**
 * Scopes (RFC 6749, section 3.3). There is one, `mcp`, which every token has: what a user may do
 * is decided by the configuration, not by the client. `offline_access` asks for a refresh token,
 * which every client gets; it is echoed to those that ask. Unknown scopes are ignored, and the
 * token answer names what was granted.
 */
const ACCESS_SCOPE = 'mcp';

/** What a client needs at `/mcp`. SEP-2207 keeps `offline_access` out of it: it is no permission. */
export const RESOURCE_SCOPES: readonly string[] = [ACCESS_SCOPE];
export const SERVER_SCOPES: readonly string[] = [ACCESS_SCOPE, 'offline_access'];

/**
 * The known scopes among those requested, in the order of the request: VS Code finds its sessions
 * by exactly the scopes that it asked for.
 */
export function grantedScope(requested = ''): string {
  const known = new Set(requested.split(' ').filter((scope) => SERVER_SCOPES.includes(scope)));
  return [...(known.has(ACCESS_SCOPE) ? known : [ACCESS_SCOPE, ...known])].join(' ');
}
