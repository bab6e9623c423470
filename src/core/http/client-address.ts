/**
 * The address of the client.
 *
 * Prevents source spoofing through `X-Forwarded-For` (CWE-348), by which logs and honeytokens would name
 * an innocent address. The header is read from the right, as far as trusted proxies have written it: the
 * first hop that is no trusted proxy is the client.
 */
import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from '../net/address.ts';

export interface Client {
  readonly address: Address;
  readonly learntFrom: 'socket' | 'x-forwarded-for';
}

export type IsTrustedProxy = (address: string) => boolean;

/** An address in brackets, with or without a port, or one of IPv4 with a port. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i;

const UNKNOWN = parseAddress('0.0.0.0')!;

export function clientOfRequest(
  request: IncomingMessage,
  isTrustedProxy: IsTrustedProxy | undefined,
): Client {
  const forwardedFor = isTrustedProxy && request.headers['x-forwarded-for'];
  return clientOf(request.socket.remoteAddress, forwardedFor, isTrustedProxy);
}

export function clientOf(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  isTrustedProxy: IsTrustedProxy | undefined,
): Client {
  if (peer !== last.peer)
    last = { peer, client: { address: readPeer(peer), learntFrom: 'socket' } };
  let { client } = last;
  if (isTrustedProxy === undefined || forwardedFor === undefined) return client;
  const hops = String(forwardedFor).split(',');
  while (isTrustedProxy(client.address.text)) {
    const address = readHop(hops.pop()?.trim() ?? '');
    if (address === undefined) break;
    client = { address, learntFrom: 'x-forwarded-for' };
  }
  return client;
}

/** A cache: scanners send bursts of requests from one peer. */
let last: { readonly peer: string | undefined; readonly client: Client } = {
  peer: undefined,
  client: { address: UNKNOWN, learntFrom: 'socket' },
};

/** Some proxies write the client's port as well: `203.0.113.7:5555`, `[2001:db8::5]:443`. */
function readHop(text: string): Address | undefined {
  return parseAddress(text) ?? parseAddress(text.replace(WITH_PORT, '$1$2'));
}

/** A link-local peer carries the name of an interface, which is no part of its address. */
function readPeer(peer: string | undefined): Address {
  return parseAddress(peer?.replace(/%.*$/, '') ?? '') ?? UNKNOWN;
}

/** The source for limits: an IPv4 address, or an IPv6 /64, of which one machine has all addresses. */
export function sourceOf(ip: string): string {
  const address = parseAddress(ip.replace(/%.*$/, ''));
  if (!address) return 'unknown';
  if (address.family === 4) return address.text;
  return `${Buffer.from(address.bytes.slice(0, 8)).toString('hex')}/64`;
}
