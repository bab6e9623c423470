/** Whether a peer is one of the proxies that may tell a client's address. */
import { type Cidr, cidrContains, parseAddress } from './address.ts';

export function isTrusted(trustedProxies: readonly Cidr[], peer: string): boolean {
  const address = parseAddress(peer);
  return address !== undefined && trustedProxies.some((cidr) => cidrContains(cidr, address));
}
