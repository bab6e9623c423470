/**
 * What each address did, from its first request to its last. Kept for the wanted addresses or, where a
 * log can be read only once, for the latest.
 */
import { parseAddress, parseCidr } from '../../core/net/address.ts';
import { type EventLine, isSealed } from '../event-log/event-lines.ts';
import { addressOf, type TokenUse } from './summary.ts';

interface Step {
  readonly timeMs: number;
  readonly what: string;
  readonly request: string;
  readonly agent: string;
}

export interface Story {
  readonly address: string;
  readonly steps: readonly Step[];
  /** How many steps in the middle are left out. */
  readonly leftOut: number;
}

const MAX_STORIES = 2_000;
const MAX_STEPS = 100;
const MAX_TEXT = 200;

interface Kept {
  readonly first: Step[];
  readonly last: Step[];
  leftOut: number;
}

export class Stories {
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #hasWide: boolean;
  readonly #byAddress = new Map<string, Kept>();

  constructor(wanted?: ReadonlySet<string>) {
    this.#wanted = wanted;
    this.#hasWide = [...(wanted ?? [])].some((address) => address.endsWith('/48'));
  }

  add(line: EventLine): void {
    if (line.event !== 'decoy_hit' && line.event !== 'honeytoken_used') return;
    // Anybody can cause uses of invented keys.
    if (line.event === 'honeytoken_used' && !isSealed(line)) return;
    const source = line.text('source.ip');
    const address = addressOf(source);
    if (address === 'unknown') return;
    if (!this.#wanted || this.#wanted.has(address)) this.#addStep(address, stepOf(line));
    const wide = this.#hasWide ? wideOf(source) : undefined;
    if (wide !== undefined && this.#wanted?.has(wide)) this.#addStep(wide, stepOf(line));
  }

  /** The story of an address, or of a network as a token names it. */
  of(address: string): Story | undefined {
    const kept = this.#byAddress.get(address);
    if (!kept) return undefined;
    const steps = [...kept.first, ...kept.last].sort((a, b) => a.timeMs - b.timeMs);
    return { address, steps, leftOut: kept.leftOut };
  }

  #addStep(address: string, step: Step): void {
    let kept = this.#byAddress.get(address);
    if (kept && !this.#wanted) this.#byAddress.delete(address);
    kept ??= { first: [], last: [], leftOut: 0 };
    // Inserted again at each step, so that the first is the least recently active.
    if (!this.#byAddress.has(address)) {
      if (this.#byAddress.size >= MAX_STORIES) this.#byAddress.delete(firstOf(this.#byAddress));
      this.#byAddress.set(address, kept);
    }
    if (kept.first.length < MAX_STEPS) {
      kept.first.push(step);
      return;
    }
    kept.last.push(step);
    if (kept.last.length > MAX_STEPS) {
      kept.last.shift();
      kept.leftOut++;
    }
  }
}

/** Those who received or used a sealed token, each once. */
export function involved(uses: readonly TokenUse[]): Set<string> {
  return new Set(
    uses
      .flatMap(({ presentedBy, receivedBy }) => [receivedKey(receivedBy), addressOf(presentedBy)])
      .filter((address) => address !== 'unknown'),
  );
}

/** A token names an IPv4 address, a /64 or a /48. */
function receivedKey(text: string): string {
  return parseCidr(text)?.family === 6 ? parseCidr(text)!.text : addressOf(text);
}

function wideOf(text: string): string | undefined {
  const address = parseAddress(text);
  return address?.family === 6 ? parseCidr(`${address.text}/48`)!.text : undefined;
}

function stepOf(line: EventLine): Step {
  const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
  const request = `${line.text('http.request.method')} ${line.text('url.path')}`.trim();
  return {
    timeMs: line.timeMs,
    what: cut(whatHappened(line)),
    request: cut(request),
    agent: cut(line.text('user_agent.original')),
  };
}

function whatHappened(line: EventLine): string {
  const tag = line.text('tag');
  if (line.event === 'honeytoken_used') {
    const from = `${line.text('honeytoken.received_by')} received on ${line.text('honeytoken.day')}`;
    const where = `in ${line.text('honeytoken.presented_in')} at ${line.text('site')}`;
    return `used the ${line.text('honeytoken.field')} of ${tag} that ${from}, ${where}`;
  }
  const taken = line.number('honeytokens');
  if (taken === 0) return `asked for ${tag}`;
  return `took ${taken} ${taken === 1 ? 'honeytoken' : 'honeytokens'} from ${tag}`;
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value!;
}
