/**
 * A client of the MCP decoy returns its session id, a honeytoken, with every request, as the protocol
 * requires. That is not reported as use of a stolen token; the same id from another address, or
 * elsewhere in a request, is.
 */
import { cidrContains, parseAddress, parseCidr } from '../../core/net/address.ts';
import { PLACES } from '../tokens/places.ts';
import type { Site } from '../tokens/token-reader.ts';
import type { Part, Sighting } from './search.ts';

/** Matches the whole query, so that the URL contains no second token. */
const NAMED_BY_STREAM = /^[^?]*\?sessionId=[a-z2-7]{32}(?:-[a-z2-7]{16})?$/;

/** `client` is the address of the client of a request to the MCP decoy, and undefined of any other. */
export function isOwnSession(
  { where, opened }: Sighting,
  parts: readonly Part[],
  site: Site,
  client: string | undefined,
): boolean {
  if (client === undefined) return false;
  if (opened?.placeId !== PLACES.session.id || opened.site !== site) return false;
  if (where !== 'header mcp-session-id' && !(where === 'url' && isNamedByStream(parts)))
    return false;
  return cidrContains(parseCidr(opened.address)!, parseAddress(client)!);
}

function isNamedByStream(parts: readonly Part[]): boolean {
  return parts.some(({ where, text }) => where === 'url' && NAMED_BY_STREAM.test(text));
}
