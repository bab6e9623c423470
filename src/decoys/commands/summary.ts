/** Aggregates event lines for the report and the terminal. */
import { parseAddress, parseCidr } from '../../core/net/address.ts';
import { Hours } from '../../core/report/hours.ts';
import { Tallies } from '../../core/report/tallies.ts';
import type { EventLine } from '../event-log/event-lines.ts';

export interface TokenUse {
  readonly timeMs: number;
  readonly tag: string;
  readonly field: string;
  readonly presentedBy: string;
  readonly presentedIn: string;
  readonly receivedBy: string;
  readonly day: string;
  readonly confidence: string;
  readonly hash: string;
}

const MAX_USES = 1_000;

export class Summary {
  readonly tags = new Tallies();
  readonly networks = new Tallies();
  readonly agents = new Tallies();
  readonly mcpClients = new Tallies();
  readonly hours = new Hours();
  readonly uses: TokenUse[] = [];
  hits = 0;
  leftOut = 0;
  tokensIssued = 0;
  tokensUsed = 0;
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;

  /** Whether anything happened, told or left out. */
  get hasEvents(): boolean {
    return this.hits + this.tokensUsed + this.leftOut > 0;
  }

  add(line: EventLine): void {
    if (line.event === 'login_success' || line.event === 'tripwire_hit') return;
    this.firstMs = Math.min(this.firstMs, line.timeMs);
    this.lastMs = Math.max(this.lastMs, line.timeMs);
    if (line.event === 'events_left_out') this.leftOut += line.number('count');
    else if (line.event === 'honeytoken_used') this.#addUse(line);
    else this.#addHit(line);
  }

  #addHit(line: EventLine): void {
    const { timeMs } = line;
    const tag = line.text('tag') || 'unknown';
    const agent = line.text('user_agent.original') || '(none)';
    this.hits++;
    this.tokensIssued += line.number('honeytokens');
    this.hours.add(timeMs);
    this.tags.add(tag, timeMs, networkOf(line.text('source.ip')));
    this.networks.add(networkOf(line.text('source.ip')), timeMs, tag);
    this.agents.add(agent, timeMs, tag);
    const client = line.text('mcp.client.name');
    if (client) {
      this.mcpClients.add(`${client} ${line.text('mcp.client.version')}`.trim(), timeMs, tag);
    }
  }

  #addUse(line: EventLine): void {
    this.tokensUsed++;
    if (this.uses.length >= MAX_USES) return;
    this.uses.push({
      timeMs: line.timeMs,
      tag: line.text('tag'),
      field: line.text('honeytoken.field'),
      presentedBy: line.text('source.ip'),
      presentedIn: line.text('honeytoken.presented_in'),
      receivedBy: line.text('honeytoken.received_by'),
      day: line.text('honeytoken.day'),
      confidence: line.text('honeytoken.confidence'),
      hash: line.text('honeytoken.hash').slice(0, 12),
    });
  }
}

/** The /24 or the /48 of an address: what one party usually holds. */
function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return 'unknown';
  return parseCidr(`${address.text}/${address.family === 4 ? 24 : 48}`)!.text;
}
