/**
 * Scopes (RFC 6749, section 3.3). Every token has the only one, `mcp`: the configuration decides what a
 * user may do. `offline_access` requests a refresh token, which every client gets, and is echoed.
 * Unknown scopes are ignored; the token response names what was granted.
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
