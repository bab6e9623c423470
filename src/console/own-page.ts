/**
 * Whether a request comes from a page of this server.
 *
 * Prevents CSRF (CWE-352) in addition to the token of each form: a request with another origin, or with
 * `null`, which a sandboxed frame sends, is refused. No page can set `Sec-Fetch-Site`, which older
 * browsers and plain http do not have.
 */
import type { IncomingHttpHeaders } from 'node:http';

export function isOwnPost(headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    (origin === undefined || origin === ownOrigin) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}

/** Whether the browser sends `SameSite=Strict` cookies with it, as far as it tells. */
export function mayLackCookies(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'cross-site';
}

/** Prevents framing, and reading by scripts of other sites. */
export function isForeignRead(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isForeign && headers['sec-fetch-mode'] !== 'navigate';
}

/** A path of this server that may be shown after signing in; in the place of anything else, `home`. */
export function ownPath(text: string | null, ownOrigin: string, home: string): string {
  const isPath = text !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,1023}$/.test(text);
  if (!isPath || !URL.canParse(text, ownOrigin)) return home;
  return new URL(text, ownOrigin).origin === ownOrigin ? text : home;
}
