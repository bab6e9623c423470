/**
 * Reads event lines from a file or from standard input, one at a time. Lines of other events, and
 * lines that are no JSON, are passed over and counted: a log has seen everything.
 */
import {
  type JsonFields,
  openLog,
  readJsonLines,
  type Skipped,
  timeOf,
} from '../../core/report/json-lines.ts';

export interface EventLine {
  readonly event: 'decoy_hit' | 'honeytoken_used' | 'events_left_out';
  readonly timeMs: number;
  /** The value of a field where it is a text, else the empty text. */
  text(field: string): string;
  number(field: string): number;
}

const EVENTS = new Set(['decoy_hit', 'honeytoken_used', 'events_left_out']);

export async function* readEventLines(
  file: string | undefined,
  skipped: Skipped,
): AsyncGenerator<EventLine> {
  for await (const batch of readJsonLines(await openLog(file), skipped)) {
    for (const fields of batch) {
      const line = eventLine(fields);
      if (line === undefined) skipped.malformed++;
      else if (line === 'other') skipped.other++;
      else yield line;
    }
  }
}

/** Malformed lines are, for example, those that a log collector prefixed with a name or a time. */
export function malformedLines(count: number): string {
  return `${count} ${count === 1 ? 'line is not an event line' : 'lines are not event lines'}`;
}

function eventLine(fields: JsonFields): EventLine | 'other' | undefined {
  const { event } = fields;
  if (typeof event !== 'string' || !EVENTS.has(event)) return 'other';
  const timeMs = timeOf(fields);
  if (timeMs === undefined) return undefined;
  return {
    event: event as EventLine['event'],
    timeMs,
    text: (field) => (typeof fields[field] === 'string' ? fields[field] : ''),
    number: (field) => (typeof fields[field] === 'number' ? fields[field] : 0),
  };
}
