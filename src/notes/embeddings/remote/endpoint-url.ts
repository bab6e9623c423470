/**
 * Where texts may be sent without encryption. Prevents that notes are read on the way (CWE-319): a
 * plain http URL must lead to this machine or to a private network, and a name is judged by every
 * address it has at the moment of the connection.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { classify, hostLiteral, parseAddress } from '../../../core/net/address.ts';

export const ENDPOINT_FORM =
  'off, local, or the base URL of an OpenAI-compatible API such as "http://127.0.0.1:11434/v1", without user info, query and fragment';

const MAX_URL_LENGTH = 2048;

/** Without a trailing slash. */
export function endpointUrlOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || text.length > MAX_URL_LENGTH || !URL.canParse(text)) {
    return undefined;
  }
  const { username, password, search, hash, href } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return undefined;
  return href.replace(/\/+$/, '');
}

/** What is wrong with the URL before anything is looked up; undefined where nothing is. */
export function unencryptedProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  const literal = hostLiteral(hostname);
  if (protocol === 'https:' || literal === undefined || isNearby(literal.text)) return undefined;
  return `sends notes unencrypted to ${hostname}; write https://, or use a server on this machine or in a private network`;
}

/** For connections without encryption: refuses a name with an address that is not nearby. */
export const nearbyLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const far = addresses.find(({ address }) => !isNearby(address));
    if (far !== undefined) {
      const message = `${hostname} is ${far.address}, which is not in a private network, and the URL is not https`;
      return callback(new Error(message), []);
    }
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    return callback(null, first!.address, first!.family);
  });
};

function isNearby(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && ['loopback', 'private'].includes(classify(address));
}
