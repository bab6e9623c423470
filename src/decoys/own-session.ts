/**
 * A client of the MCP decoy returns its session id, a honeytoken, with every request, as the protocol
 * requires. That is not reported as use of a stolen token; the same id from another address, or
 * elsewhere in a request, is.
 */
import { cidrContains, parseCidr } from '../core/net/address.ts';
import type { Sighting } from './detect/search.ts';
import { mcpPaths } from './kinds/mcp-server-probe.ts';
import type { Probe } from './kit/probe.ts';
import type { Site } from './tokens/honeytoken.ts';
import { PLACES } from './tokens/places.ts';

/** Matches the whole query, so that the URL contains no second token. */
const NAMED_BY_STREAM = /^sessionId=[a-z2-7]{32}(?:-[a-z2-7]{16})?$/;

export function isOwnSession({ where, opened }: Sighting, site: Site, probe: Probe): boolean {
  if (opened?.placeId !== PLACES.session.id || opened.site !== site) return false;
  const isInPlace =
    where === 'header mcp-session-id' || (where === 'url' && NAMED_BY_STREAM.test(probe.query));
  if (!isInPlace || !mcpPaths(site).includes(probe.path)) return false;
  return cidrContains(parseCidr(opened.address)!, probe.client.address);
}
