/**
 * Which sources a blocklist contains.
 *
 * Prevents that somebody makes us block others: by a page whose images send its visitors to the decoys
 * (`Sec-Fetch-Site: cross-site`), from the network of a user, or through a proxy that is not configured.
 * A source is blocked only for its own requests, and never when it contains an address of this machine,
 * of an allowed network, of a trusted proxy, or one that somebody has signed in from.
 *
 * IPv6 is blocked by /64: a client chooses the rest of its address.
 */
import {
  type Address,
  type AddressClass,
  type Cidr,
  cidrContains,
  classify,
  parseAddress,
  parseCidr,
} from '../../core/net/address.ts';
import { type EventLine, isSealed } from '../event-log/event-lines.ts';
import type { Source } from './stix.ts';

/** Bounds the memory that a flood from invented addresses takes. */
const MAX_SOURCES = 50_000;
const NEVER: readonly AddressClass[] = [
  'loopback',
  'unspecified',
  'link-local',
  'multicast',
  'metadata',
];

export interface BlockRules {
  readonly sinceMs: number | undefined;
  readonly minHits: number;
  /** Allowed networks and trusted proxies. */
  readonly allow: readonly Cidr[];
}

export interface Blocked {
  readonly sources: readonly Source[];
  /** Sources with enough hits that are spared, by reason. */
  readonly spared: { readonly allowed: number; readonly signedIn: number };
  readonly crossSite: number;
  /** Sources beyond the bound, with the fewest hits. */
  readonly leftOut: number;
}

export class SourceCollector {
  readonly #rules: BlockRules;
  readonly #max: number;
  readonly #sources = new Map<string, Source>();
  readonly #signedIn = new Set<string>();
  #crossSite = 0;
  #leftOut = 0;

  constructor(rules: BlockRules, max = MAX_SOURCES) {
    this.#rules = rules;
    this.#max = max;
  }

  add(line: EventLine): void {
    if (line.event === 'login_success') {
      const address = parseAddress(line.text('ip'));
      if (address) this.#signedIn.add(sourceOf(address).text);
    } else if (line.event === 'decoy_hit' || line.event === 'honeytoken_used') {
      this.#addHit(line);
    }
  }

  result(): Blocked {
    const { minHits, allow } = this.#rules;
    const spared = { allowed: 0, signedIn: 0 };
    const sources = [...this.#sources.values()].filter(({ address, hits }) => {
      if (hits < minHits) return false;
      const network = parseCidr(address)!;
      const isAllowed =
        NEVER.includes(classify(parseAddress(network.text.split('/')[0]!)!)) ||
        allow.some((other) => overlap(network, other));
      const isSignedIn = this.#signedIn.has(network.text);
      if (isAllowed) spared.allowed++;
      else if (isSignedIn) spared.signedIn++;
      return !isAllowed && !isSignedIn;
    });
    sources.sort((a, b) => (a.address < b.address ? -1 : 1));
    return { sources, spared, crossSite: this.#crossSite, leftOut: this.#leftOut };
  }

  #addHit(line: EventLine): void {
    const { timeMs } = line;
    const { sinceMs = Number.NEGATIVE_INFINITY } = this.#rules;
    const address = parseAddress(line.text('source.ip'));
    if (address === undefined || timeMs < sinceMs) return;
    if (line.text('sec_fetch_site') === 'cross-site') {
      this.#crossSite++;
      return;
    }
    const network = sourceOf(address);
    let source = this.#sources.get(network.text);
    if (source === undefined) {
      if (this.#sources.size >= this.#max) this.#dropFewest();
      const { family } = network;
      const shown = family === 4 ? address.text : network.text;
      source = {
        address: shown,
        family,
        hits: 0,
        firstMs: timeMs,
        lastMs: timeMs,
        tags: new Set(),
      };
      this.#sources.set(network.text, source);
    }
    source.hits++;
    source.firstMs = Math.min(source.firstMs, timeMs);
    source.lastMs = Math.max(source.lastMs, timeMs);
    if (source.tags.size < MAX_TAGS) source.tags.add(tagOf(line));
  }

  /** Half of them, so that this is rare. */
  #dropFewest(): void {
    const byHits = [...this.#sources].sort(
      ([, a], [, b]) => a.hits - b.hits || a.lastMs - b.lastMs,
    );
    for (const [key] of byHits.slice(0, Math.ceil(this.#max / 2))) this.#sources.delete(key);
    this.#leftOut += Math.ceil(this.#max / 2);
  }
}

const MAX_TAGS = 64;

function tagOf(line: EventLine): string {
  if (line.event === 'decoy_hit') return line.text('tag');
  return isSealed(line) ? 'honeytoken-used' : 'rest-api-idor-users';
}

/** What counts as one: an IPv4 address or an IPv6 /64. */
function sourceOf(address: Address): Cidr {
  return parseCidr(`${address.text}/${address.family === 4 ? 32 : 64}`)!;
}

function overlap(a: Cidr, b: Cidr): boolean {
  return cidrContains(a, addressOf(b)) || cidrContains(b, addressOf(a));
}

function addressOf({ text }: Cidr): Address {
  return parseAddress(text.split('/')[0]!)!;
}
