/**
 * Reads event lines from a file or from standard input, one at a time. Lines of other events, and
 * lines that are no JSON, are passed over and counted: a log has seen everything.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface EventLine {
  readonly event: 'decoy_hit' | 'honeytoken_used' | 'events_left_out';
  readonly timeMs: number;
  /** The value of a field where it is a text, else the empty text. */
  text(field: string): string;
  number(field: string): number;
}

const EVENTS = new Set(['decoy_hit', 'honeytoken_used', 'events_left_out']);

export interface Skipped {
  other: number;
  malformed: number;
}

export async function* readEventLines(
  file: string | undefined,
  skipped: Skipped,
): AsyncGenerator<EventLine> {
  const input =
    file === undefined || file === '-'
      ? process.stdin
      : await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
          const stream = createReadStream(file);
          stream.once('open', () => resolve(stream)).once('error', reject);
        });
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue;
    const read = readEventLine(line);
    if (read === undefined) skipped.malformed++;
    else if (read === 'other') skipped.other++;
    else yield read;
  }
}

export function readEventLine(line: string): EventLine | 'other' | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof fields !== 'object' || fields === null) return undefined;
  const { event, ts } = fields;
  if (typeof event !== 'string' || !EVENTS.has(event)) return 'other';
  const timeMs = Date.parse(String(ts));
  if (Number.isNaN(timeMs)) return undefined;
  return {
    event: event as EventLine['event'],
    timeMs,
    text: (field) => (typeof fields[field] === 'string' ? fields[field] : ''),
    number: (field) => (typeof fields[field] === 'number' ? fields[field] : 0),
  };
}
