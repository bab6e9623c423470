/** The proxies that are trusted to name a client's address. */
import { type Cidr, cidrContains, parseAddress, parseCidr } from '../net/address.ts';
import { quote } from './problems.ts';

export function isTrusted(trustedProxies: readonly Cidr[], peer: string): boolean {
  const address = parseAddress(peer);
  return address !== undefined && trustedProxies.some((cidr) => cidrContains(cidr, address));
}

/** The network, or the problem as a text. A network of all addresses would trust any client. */
export function readTrustedProxy(text: string): Cidr | string {
  const cidr = parseCidr(text);
  if (cidr !== undefined && cidr.bits > 0) return cidr;
  return text === '*' || cidr
    ? `${quote(text)} would let every client forge its address; name the networks of your proxies`
    : `${quote(text)} is not a network such as 10.0.0.0/8 or fd00::/8`;
}
