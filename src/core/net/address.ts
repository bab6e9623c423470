/**
 * Classifies IP addresses.
 *
 * Prevents server-side request forgery (CWE-918) to addresses that only this machine can reach, in
 * spellings that a simple filter does not recognise: `0x7f.1`, `[::ffff:7f00:1]`,
 * `[64:ff9b::a9fe:a9fe]`. All checks work on the bytes of the address. An IPv4 address is public unless
 * it is in a range below (RFC 6890 and the IANA registry); an IPv6 address only within 2000::/3, without
 * the ranges below.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { memoize } from '../memoize.ts';

export type AddressClass =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'carrier-nat'
  | 'multicast'
  | 'documentation'
  | 'benchmark'
  | 'transition'
  | 'reserved';

/** A parsed address. An IPv4-mapped IPv6 address is parsed as its IPv4 address. */
export interface Address {
  readonly family: 4 | 6;
  /** Four bytes or sixteen. */
  readonly bytes: readonly number[];
  /** The canonical spelling (RFC 5952), without brackets. */
  readonly text: string;
}

/** A network. Host bits are cleared, so `192.168.1.5/24` is `192.168.1.0/24`, as `text` shows. */
export interface Cidr {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
  readonly bits: number;
  readonly text: string;
}

/** Parses the strict notations of resolvers and sockets, without zone ids. */
export const parseAddress = memoize((text): Address | undefined => {
  const bytes = readBytes(text);
  if (bytes === undefined) return undefined;
  return makeAddress(isMapped(bytes) ? bytes.slice(12) : bytes);
});

/**
 * The name or address that WHATWG URL parsing makes of a host, in lower case and without
 * trailing dots; IPv6 is in brackets, with or without them in `host`, and a mapped address is
 * its IPv4 address. `undefined` where that parsing refuses the host.
 */
export const canonicalHost = memoize((host): string | undefined => {
  const literal = hostLiteral(host);
  if (literal !== undefined) return literal.family === 6 ? `[${literal.text}]` : literal.text;
  return urlHostname(host);
});

/** The address of a host that is a literal in any notation: `127.1`, `0x7f.1`, `2130706433`, `[::1]`. */
export function hostLiteral(host: string): Address | undefined {
  return parseAddress(host) ?? parseAddress(urlHostname(host)?.replace(/^\[(.*)\]$/, '$1') ?? '');
}

function urlHostname(host: string): string | undefined {
  if (host.length > 255) return undefined;
  const trimmed = host.replace(/[.\u3002\uff0e\uff61]+$/, '');
  const url = `http://${trimmed}/`;
  const isBareHost = !/[/\\?#@\s%]|:[^\]]*$/.test(trimmed);
  return isBareHost && trimmed !== '' && URL.canParse(url) ? new URL(url).hostname : undefined;
}

export function classify(address: Address): AddressClass {
  if (isMetadata(address)) return 'metadata';
  if (address.family === 4) return rangeClass(ipv4Ranges, address) ?? 'public';
  if (cidrContains(nat64, address)) return classify(makeAddress(address.bytes.slice(12)));
  if (!cidrContains(globalUnicast, address)) return rangeClass(ipv6Scopes, address) ?? 'reserved';
  const excluded = rangeClass(ipv6Exclusions, address);
  if (excluded !== undefined) return excluded;
  return isIsatap(address) ? classify(makeAddress(address.bytes.slice(12))) : 'public';
}

/**
 * Whether the address is a cloud's metadata or credential service, also when it is wrapped in
 * one of the IPv6 forms that carry an IPv4 address. No configuration opens these.
 */
export function isMetadata(address: Address): boolean {
  const carried = carriedIpv4(address);
  return metadata.has(address.text) || (carried !== undefined && metadata.has(carried.text));
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a bare address, which is a network of one. */
export function parseCidr(text: string): Cidr | undefined {
  const [base = '', length, ...rest] = text.split('/');
  let bytes = readBytes(base);
  if (bytes === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  let bits = length === undefined ? bytes.length * 8 : Number(length);
  if (bits > bytes.length * 8) return undefined;
  if (isMapped(bytes) && bits >= 96) {
    bytes = bytes.slice(12);
    bits -= 96;
  }
  const network = makeAddress(bytes.map((byte, index) => byte & byteMask(bits, index)));
  return { ...network, bits, text: `${network.text}/${bits}` };
}

/**
 * Whether the network contains the address. IPv4 networks contain IPv4-mapped addresses, too; no IPv6
 * network, not even `::/0`, contains an IPv4 address, so that allowing one family never allows the other.
 */
export function cidrContains(cidr: Cidr, address: Address): boolean {
  if (cidr.family !== address.family) return false;
  return cidr.bytes.every(
    (byte, index) => byte === ((address.bytes[index] ?? 0) & byteMask(cidr.bits, index)),
  );
}

/** The part of the byte at `index` that a prefix of `bits` covers. */
function byteMask(bits: number, index: number): number {
  const covered = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - covered)) & 0xff;
}

function readBytes(text: string): number[] | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const first = hextetBytes(head);
  if (tail === undefined) return first;
  const last = hextetBytes(tail);
  return [...first, ...new Array<number>(16 - first.length - last.length).fill(0), ...last];
}

function hextetBytes(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (part.includes('.')) return part.split('.').map(Number);
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
}

function makeAddress(bytes: readonly number[]): Address {
  if (bytes.length === 4) return { family: 4, bytes, text: bytes.join('.') };
  const hextets: string[] = [];
  for (let index = 0; index < 16; index += 2) {
    hextets.push((((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0)).toString(16));
  }
  const text = new URL(`http://[${hextets.join(':')}]/`).hostname.slice(1, -1);
  return { family: 6, bytes, text };
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((b) => b === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff
  );
}

/** RFC 5214, section 6.1: an interface id `0000:5efe:a.b.c.d` or `0200:5efe:a.b.c.d`. */
function isIsatap({ bytes }: Address): boolean {
  const flags = bytes[8] === 0x00 || bytes[8] === 0x02;
  return flags && bytes[9] === 0x00 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function carriedIpv4(address: Address): Address | undefined {
  if (address.family === 4) return undefined;
  if (cidrContains(sixToFour, address)) return makeAddress(address.bytes.slice(2, 6));
  const atTheEnd = carriers.some((cidr) => cidrContains(cidr, address)) || isIsatap(address);
  return atTheEnd ? makeAddress(address.bytes.slice(12)) : undefined;
}

type Range = readonly [Cidr, AddressClass];

function rangeClass(ranges: readonly Range[], address: Address): AddressClass | undefined {
  return ranges.find(([cidr]) => cidrContains(cidr, address))?.[1];
}

function range(text: string, name: AddressClass): Range {
  return [network(text), name];
}

function network(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`not a network: ${text}`);
  return cidr;
}

const ipv4Ranges = [
  range('0.0.0.0/8', 'unspecified'),
  range('10.0.0.0/8', 'private'),
  range('100.64.0.0/10', 'carrier-nat'),
  range('127.0.0.0/8', 'loopback'),
  range('169.254.0.0/16', 'link-local'),
  range('172.16.0.0/12', 'private'),
  range('192.0.0.0/24', 'reserved'),
  range('192.0.2.0/24', 'documentation'),
  range('192.31.196.0/24', 'reserved'),
  range('192.52.193.0/24', 'reserved'),
  range('192.88.99.0/24', 'transition'),
  range('192.168.0.0/16', 'private'),
  range('192.175.48.0/24', 'reserved'),
  range('198.18.0.0/15', 'benchmark'),
  range('198.51.100.0/24', 'documentation'),
  range('203.0.113.0/24', 'documentation'),
  range('224.0.0.0/4', 'multicast'),
  range('240.0.0.0/4', 'reserved'),
];

const globalUnicast = network('2000::/3');

/** Ranges outside of 2000::/3, all of which is blocked; the rest of it is reserved. */
const ipv6Scopes = [
  range('::/128', 'unspecified'),
  range('::1/128', 'loopback'),
  range('fc00::/7', 'private'),
  range('fe80::/10', 'link-local'),
  range('ff00::/8', 'multicast'),
];

const ipv6Exclusions = [
  range('2001::/23', 'reserved'),
  range('2001:db8::/32', 'documentation'),
  range('2002::/16', 'transition'),
  range('2620:4f:8000::/48', 'reserved'),
  range('3fff::/20', 'documentation'),
];

const nat64 = network('64:ff9b::/96');
const sixToFour = network('2002::/16');

/** IPv4-compatible addresses and both NAT64 prefixes end in an IPv4 address. */
const carriers = [network('::/96'), nat64, network('64:ff9b:1::/48')];

const metadata: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Google, Azure, DigitalOcean and others
  '169.254.170.2', // AWS ECS task credentials
  '169.254.170.23', // AWS EKS pod identity
  'fd00:ec2::254', // AWS over IPv6
  'fd00:ec2::23', // AWS EKS pod identity over IPv6
  '168.63.129.16', // Azure host agent
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  'fd20:ce::254', // Google over IPv6
]);
