/**
 * Where an authorization code may be sent.
 *
 * Prevents code theft by open redirect (CWE-601): a code goes only to a URI that the client
 * registered, compared character by character (OAuth 2.1, section 2.3.1). Only the port may differ
 * for an app on the user's own machine (RFC 8252, section 7.3). Schemes that a browser itself runs or
 * shows are refused, and so is what two parsers could read differently.
 */
const MAX_LENGTH = 2_048;
/** RFC 3986 knows printable ASCII only; the rest, quotes and backslashes are read in many ways. */
const CHARACTERS = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;
const SCHEME = /^([a-z][a-z0-9+.-]*):./i;
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
const LOOPBACK = /^(https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::[0-9]{1,5})?(?=[/?]|$)(.*)$/;
const BROWSER_SCHEMES: ReadonlySet<string> = new Set([
  'javascript',
  'data',
  'file',
  'blob',
  'vbscript',
  'about',
  'filesystem',
  'view-source',
  'ftp',
  'ws',
  'wss',
]);

/** Why a redirect URI cannot be registered, or undefined when it can. */
export function redirectUriProblem(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!CHARACTERS.test(text)) return 'holds a character that a URI cannot hold; percent-encode it';
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(text)) return 'is not an absolute URI';
  if (BROWSER_SCHEMES.has(scheme)) return `uses the scheme ${scheme}:, which is not allowed`;
  if (text.includes('#')) return 'has a fragment; leave out everything from # on';
  if (AUTHORITY.exec(text)?.[1]?.includes('@')) return 'holds user information; leave it out';
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (!AUTHORITY.exec(text)?.[1]) return 'has no host';
  if (scheme === 'http' && !LOOPBACK.test(text)) {
    return 'uses http: and is not on this machine; use https:, 127.0.0.1, [::1] or localhost';
  }
  return undefined;
}

/** Whether a presented URI is the registered one; on loopback the port is free. */
export function matchesRedirectUri(registered: string, presented: string): boolean {
  if (presented === registered) return true;
  const own = LOOPBACK.exec(registered);
  const other = LOOPBACK.exec(presented);
  if (!own || !other || redirectUriProblem(presented)) return false;
  return own[1] === other[1] && own[2] === other[2];
}

/** The URI with parameters added to the query that it may already have; no other byte changes. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string>>): string {
  const joint = uri.includes('?') ? '&' : '?';
  return `${uri}${joint}${new URLSearchParams(parameters)}`;
}

/** Where the user ends up, in words for the sign-in page. */
export function describeDestination(uri: string): string {
  const url = new URL(uri);
  if (LOOPBACK.test(uri)) return `an app on this device (${url.host})`;
  if (url.protocol === 'https:') return url.host;
  return `the app on this device that opens ${url.protocol} links`;
}
