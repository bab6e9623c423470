/**
 * A client of the MCP decoy sends its session id back with every request, as it was told to. That
 * is no use of a stolen token, and the hit of the decoy tells of it already. The same id from
 * another address, or anywhere else in a request, is.
 */
import { cidrContains, parseCidr } from '../core/net/address.ts';
import type { Sighting } from './detect/detector.ts';
import { mcpPaths } from './kinds/mcp-server-probe.ts';
import type { Probe } from './kit/probe.ts';
import type { Site } from './tokens/honeytoken.ts';
import { PLACES } from './tokens/places.ts';

/** All of the query, so that the token can stand nowhere else in the URL. */
const NAMED_BY_STREAM = /^sessionId=[a-z2-7]{32}$/;

export function isOwnSession({ where, opened }: Sighting, site: Site, probe: Probe): boolean {
  if (opened?.place.id !== PLACES.session.id || opened.site !== site) return false;
  const isInPlace =
    where === 'header mcp-session-id' || (where === 'url' && NAMED_BY_STREAM.test(probe.query));
  if (!isInPlace || !mcpPaths(site).includes(probe.path)) return false;
  return cidrContains(parseCidr(opened.address)!, probe.client.address);
}
