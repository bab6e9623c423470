/**
 * Reads the lines of events that concern the decoys, one at a time, from logs of all three programs.
 * Lines of other events, and lines that are no JSON, are passed over and counted: a log has seen
 * everything.
 */
import {
  type JsonFields,
  readJsonLines,
  type Skipped,
  timeOf,
} from '../../core/report/json-lines.ts';
import { type LogProgress, readLogs } from '../../core/report/log-files.ts';
import { fromEcs } from './ecs.ts';

const EVENTS = [
  'decoy_hit',
  'honeytoken_used',
  'events_left_out',
  'tripwire_hit',
  'login_success',
] as const;
export type EventName = (typeof EVENTS)[number];

export interface EventLine {
  readonly event: EventName;
  readonly timeMs: number;
  /** The value of a field where it is a text, else the empty text. */
  text(field: string): string;
  number(field: string): number;
}

const isEvent = (name: unknown): name is EventName => (EVENTS as readonly unknown[]).includes(name);

export async function* readEventLines(
  files: readonly string[],
  skipped: Skipped,
  progress: LogProgress = { readBytes: 0, totalBytes: undefined },
): AsyncGenerator<EventLine> {
  for await (const batch of readJsonLines(readLogs(files, progress), skipped)) {
    for (const fields of batch) {
      const line = eventLine(fields);
      if (line === undefined) skipped.malformed++;
      else if (line === 'other') skipped.other++;
      else yield line;
    }
  }
}

/** `other` for another event, undefined for a malformed line. */
export function eventLine(given: JsonFields): EventLine | 'other' | undefined {
  const fields = fromEcs(given);
  const { event } = fields;
  if (!isEvent(event)) return 'other';
  const timeMs = timeOf(fields);
  if (timeMs === undefined) return undefined;
  return {
    event,
    timeMs,
    text: (field) => (typeof fields[field] === 'string' ? fields[field] : ''),
    number: (field) => (typeof fields[field] === 'number' ? fields[field] : 0),
  };
}

/** Malformed lines are, for example, those that a log collector prefixed with a name or a time. */
export function malformedLines(count: number): string {
  return `${count} ${count === 1 ? 'line is not an event line' : 'lines are not event lines'}`;
}

/**
 * Whether the token was sealed with the address of its receiver. The others, the `api_key` of a user,
 * anybody can invent.
 */
export function isSealed(use: EventLine): boolean {
  return use.text('honeytoken.received_by') !== '';
}
