/**
 * Aggregates event lines for the report and the terminal, in bounded memory. Uses of sealed tokens have
 * limits of their own, so that events that anybody can cause push none off the page.
 */
import { memoize } from '../../core/memoize.ts';
import { parseAddress, parseCidr } from '../../core/net/address.ts';
import { Hours } from '../../core/report/hours.ts';
import { Tallies } from '../../core/report/tallies.ts';
import { type EventLine, isSealed } from '../event-log/event-lines.ts';

/** The uses of one token by one address, in one place of a request and at one program. */
export interface TokenUse {
  readonly tag: string;
  readonly field: string;
  readonly presentedBy: string;
  readonly presentedIn: string;
  readonly site: string;
  readonly receivedBy: string;
  readonly day: string;
  readonly confidence: string;
  readonly hash: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

interface TripwireHit {
  readonly timeMs: number;
  readonly user: string;
  readonly what: string;
}

const MAX_USES = 10_000;
const MAX_TRIPWIRES = 1_000;
const MAX_ADDRESSES = 20_000;

export class Summary {
  readonly tags = new Tallies();
  readonly networks = new Tallies();
  readonly addresses = new Tallies(MAX_ADDRESSES);
  readonly agents = new Tallies();
  readonly mcpClients = new Tallies();
  /** Addresses that sent invented keys. */
  readonly inventors = new Tallies();
  /** Hits, and uses of sealed tokens. */
  readonly hours = new Hours(2);
  readonly tripwires: TripwireHit[] = [];
  readonly #uses = new Map<string, TokenUse>();
  hits = 0;
  leftOut = 0;
  tokensIssued = 0;
  sealedUses = 0;
  inventedUses = 0;
  tripwireHits = 0;
  usesLeftOut = 0;
  /** Of sealed tokens that were reported before. */
  repeatedUses = 0;
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;

  /** Whether anything happened. */
  get hasEvents(): boolean {
    const { hits, sealedUses, inventedUses, tripwireHits, leftOut, repeatedUses } = this;
    return hits + sealedUses + inventedUses + tripwireHits + leftOut + repeatedUses > 0;
  }

  /** The latest first. */
  get uses(): TokenUse[] {
    return [...this.#uses.values()].sort((a, b) => b.lastMs - a.lastMs);
  }

  add(line: EventLine): void {
    if (line.event === 'login_success') return;
    this.firstMs = Math.min(this.firstMs, line.timeMs);
    this.lastMs = Math.max(this.lastMs, line.timeMs);
    switch (line.event) {
      case 'events_left_out':
        this.leftOut += line.number('count');
        this.repeatedUses += line.number('repeated_uses');
        return;
      case 'tripwire_hit':
        this.#addTripwire(line);
        return;
      case 'honeytoken_used':
        if (isSealed(line)) this.#addUse(line);
        else this.#addInvented(line);
        return;
      default:
        this.#addHit(line);
    }
  }

  #addHit(line: EventLine): void {
    const { timeMs } = line;
    const tag = line.text('tag') || 'unknown';
    const source = line.text('source.ip');
    const agent = line.text('user_agent.original') || '(none)';
    this.hits++;
    this.tokensIssued += line.number('honeytokens');
    this.hours.add(timeMs);
    const network = networkOf(source);
    this.tags.add(tag, timeMs, network);
    this.networks.add(network, timeMs, tag);
    this.addresses.add(addressOf(source), timeMs, tag);
    this.agents.add(agent, timeMs, tag);
    const client = line.text('mcp.client.name');
    if (client) {
      this.mcpClients.add(`${client} ${line.text('mcp.client.version')}`.trim(), timeMs, tag);
    }
  }

  #addUse(line: EventLine): void {
    const { timeMs } = line;
    this.sealedUses++;
    this.hours.add(timeMs, 1);
    this.addresses.add(addressOf(line.text('source.ip')), timeMs, 'honeytoken used');
    const use = {
      tag: line.text('tag'),
      field: line.text('honeytoken.field'),
      presentedBy: line.text('source.ip'),
      presentedIn: line.text('honeytoken.presented_in'),
      site: line.text('site'),
      receivedBy: line.text('honeytoken.received_by'),
      day: line.text('honeytoken.day'),
      confidence: line.text('honeytoken.confidence'),
      hash: line.text('honeytoken.hash').slice(0, 12),
    };
    const key = Object.values(use).join('\n');
    const known = this.#uses.get(key);
    if (known) {
      known.count++;
      known.firstMs = Math.min(known.firstMs, timeMs);
      known.lastMs = Math.max(known.lastMs, timeMs);
    } else if (this.#uses.size >= MAX_USES) this.usesLeftOut++;
    else this.#uses.set(key, { ...use, count: 1, firstMs: timeMs, lastMs: timeMs });
  }

  #addInvented(line: EventLine): void {
    this.inventedUses++;
    const source = addressOf(line.text('source.ip'));
    this.inventors.add(source, line.timeMs, line.text('honeytoken.presented_in'));
  }

  #addTripwire(line: EventLine): void {
    this.tripwireHits++;
    if (this.tripwires.length >= MAX_TRIPWIRES) return;
    const parts = ['target', 'vault', 'path', 'tool'].map((field) => line.text(field));
    const what = parts.filter((part) => part !== '').join(' ');
    this.tripwires.push({ timeMs: line.timeMs, user: line.text('user'), what });
  }
}

/** The /24 or the /48 of an address: what one party usually holds. */
const networkOf = memoize((text): string => {
  const address = parseAddress(text);
  if (address === undefined) return 'unknown';
  return parseCidr(`${address.text}/${address.family === 4 ? 24 : 48}`)!.text;
});

/** An IPv4 address, or the /64 of an IPv6 address. */
export const addressOf = memoize((text): string => {
  const address = parseAddress(text);
  if (address === undefined) return 'unknown';
  return address.family === 4 ? address.text : parseCidr(`${address.text}/64`)!.text;
});
