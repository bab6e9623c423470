/** The alert of an event line, and how urgent it is. */
import { parseAddress, parseCidr } from '../../core/net/address.ts';
import { type EventLine, isSealed } from '../event-log/event-lines.ts';

export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Alert {
  readonly severity: Severity;
  /** Alerts with the same key are repeats. */
  readonly key: string;
  readonly event: string;
  readonly timeMs: number;
  /** Never contains text of strangers. */
  readonly title: string;
  /** May contain text of strangers, which every format escapes. */
  readonly facts: Readonly<Record<string, string>>;
  /** How often it happened again, for an alert that only reports repeats. */
  readonly repeats?: number;
}

const MAX_FACT = 160;
const MAX_KEY_PART = 80;

export function alertOf(line: EventLine): Alert | undefined {
  switch (line.event) {
    case 'honeytoken_used':
      return isSealed(line) ? sealedUse(line) : inventedUse(line);
    case 'tripwire_hit':
      return make(line, 'high', 'Tripwire hit', ['user', 'target', 'vault', 'path', 'tool'], {
        user: line.text('user'),
        target: line.text('target'),
        vault: line.text('vault'),
        path: line.text('path'),
        tool: line.text('tool'),
        action: line.text('action'),
      });
    case 'decoy_hit':
      return make(line, 'low', 'Decoy hit', ['tag', 'source'], {
        tag: line.text('tag'),
        from: line.text('source.ip'),
        at: line.text('site'),
        ...requestFacts(line),
      });
    case 'events_left_out':
      return leftOut(line);
    default:
      return undefined;
  }
}

/** A busy scanner causes this every day. Requests that were not searched may contain a stolen token. */
function leftOut(line: EventLine): Alert {
  const unsearched = line.number('unsearched_requests') + line.number('unsearched_candidates');
  const title =
    unsearched > 0 ? 'Requests not searched for honeytokens' : 'Event lines left out of the log';
  return make(line, unsearched > 0 ? 'medium' : 'low', title, ['site'], {
    site: line.text('site'),
    lines: String(line.number('count')),
    ...(unsearched > 0 && { 'not searched': String(unsearched) }),
    'most from': line.text('source.ip'),
  });
}

export function isAtLeast(severity: Severity, min: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(min);
}

/**
 * High: somebody else has the token, or it is used at another program of ours. Medium: the receiver
 * tries it, as scanners do, or the address in it has a low confidence.
 */
function sealedUse(line: EventLine): Alert {
  const isCertain = line.text('honeytoken.confidence') !== 'low';
  const site = line.text('honeytoken.site');
  const wasPassedOn = !isReceiver(line) || (site !== '' && site !== line.text('site'));
  const title = wasPassedOn
    ? 'Honeytoken used by somebody else'
    : 'Honeytoken used by its receiver';
  return make(line, isCertain && wasPassedOn ? 'high' : 'medium', title, ['hash', 'source'], {
    ...useFacts(line),
    'received by': line.text('honeytoken.received_by'),
    'received on': line.text('honeytoken.day'),
    'received from': site,
    confidence: line.text('honeytoken.confidence'),
  });
}

/** Anybody can invent such a key. */
function inventedUse(line: EventLine): Alert {
  return make(line, 'low', 'Invented API key used', ['source'], {
    ...useFacts(line),
    'API key id': line.text('honeytoken.api_key_id'),
  });
}

function useFacts(line: EventLine): Record<string, string> {
  return {
    'used by': line.text('source.ip'),
    'used at': line.text('site'),
    'used in': line.text('honeytoken.presented_in'),
    token: [line.text('tag'), line.text('honeytoken.field')].filter(Boolean).join(', '),
    ...requestFacts(line),
    hash: line.text('honeytoken.hash').slice(0, 12),
  };
}

function requestFacts(line: EventLine): Record<string, string> {
  const request = `${line.text('http.request.method')} ${line.text('url.path')}`.trim();
  return { request, agent: line.text('user_agent.original') };
}

function isReceiver(line: EventLine): boolean {
  const address = parseAddress(line.text('source.ip'));
  const received = parseCidr(line.text('honeytoken.received_by'));
  if (address === undefined || received === undefined) return false;
  return parseCidr(`${address.text}/${received.bits}`)?.text === received.text;
}

function make(
  line: EventLine,
  severity: Severity,
  title: string,
  sameBy: readonly string[],
  facts: Readonly<Record<string, string>>,
): Alert {
  const kept = Object.entries(facts).filter(([, value]) => value !== '');
  const cut = kept.map(([name, value]) => [name, shortened(value, MAX_FACT)] as const);
  const keyOf: Record<string, string> = {
    ...facts,
    source: line.text('source.ip'),
    hash: line.text('honeytoken.hash'),
  };
  // The severity is part of the key: a more urgent alert is no repeat.
  const key = [
    line.event,
    severity,
    ...sameBy.map((name) => (keyOf[name] ?? '').slice(0, MAX_KEY_PART)),
  ];
  const { event, timeMs } = line;
  return { severity, key: key.join(' '), event, timeMs, title, facts: Object.fromEntries(cut) };
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
