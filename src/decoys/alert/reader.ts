/** Reads the alerts of logs: of files that are followed, or of standard input. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonFields, readJsonLines } from '../../core/report/json-lines.ts';
import { eventLine } from '../event-log/event-lines.ts';
import { type Alert, alertOf, isAtLeast, type Severity } from './alert.ts';
import { LogTail } from './log-tail.ts';
import type { SavedState } from './state-file.ts';

const POLL_MS = 500;
/** A collector that merges the logs of several programs may reorder lines within this time. */
const DISORDER_MS = 60_000;
const MAX_RECENT = 10_000;

export interface AlertSource {
  /** Ends with the log, or with the signal. Calls `onEnd` whenever the present end is reached. */
  read(add: (alerts: readonly Alert[]) => void, onEnd: () => void): Promise<void>;
  readonly state: Pick<SavedState, 'positions' | 'stdin'>;
}

/** Follows files. */
export function fileSource(
  files: readonly string[],
  { positions }: SavedState,
  min: Severity,
  signal: AbortSignal,
  warn: (message: string) => void,
): AlertSource {
  const tails = files.map((file) => new LogTail(file, positions[file], warn));
  return {
    get state() {
      const read = tails.map(({ path, position }) => [path, position] as const);
      const all = { ...positions, ...Object.fromEntries(read) };
      return { positions: all, stdin: { lastMs: 0, recent: [] } };
    },
    read: async (add, onEnd) => {
      try {
        while (!signal.aborted) {
          let isAtEnd = true;
          for (const tail of tails) {
            const lines = await tail.read();
            if (lines.length === 0) continue;
            isAtEnd = false;
            add(await alertsIn(lines, min));
          }
          if (!isAtEnd) continue;
          onEnd();
          await sleep(POLL_MS, undefined, { signal }).catch(() => {});
        }
      } finally {
        for (const tail of tails) await tail.close();
      }
    },
  };
}

async function alertsIn(lines: Buffer, min: Severity): Promise<Alert[]> {
  const alerts: Alert[] = [];
  const skipped = { other: 0, malformed: 0 };
  for await (const batch of readJsonLines(Readable.from([lines]), skipped)) {
    alerts.push(...batch.flatMap((fields) => alertIn(fields, min) ?? []));
  }
  return alerts;
}

function alertIn(fields: JsonFields, min: Severity): Alert | undefined {
  const line = eventLine(fields);
  const alert = line === undefined || line === 'other' ? undefined : alertOf(line);
  return alert && isAtLeast(alert.severity, min) ? alert : undefined;
}

/**
 * A stream has no position: after a restart, lines that were read before are recognised by their time,
 * and the latest by their hash.
 */
export function streamSource(
  stream: AsyncIterable<Buffer | string>,
  { positions, stdin }: SavedState,
  min: Severity,
): AlertSource {
  const before = new Set(stdin.recent);
  let { lastMs } = stdin;
  let recent = stdin.recent.map((id) => ({ timeMs: stdin.lastMs, id }));

  function unread(fields: JsonFields): Alert[] {
    const alert = alertIn(fields, min);
    if (!alert) return [];
    const { timeMs } = alert;
    const id = hash('sha256', JSON.stringify(fields)).slice(0, 16);
    if (timeMs < stdin.lastMs - DISORDER_MS || before.has(id)) return [];
    lastMs = Math.max(lastMs, timeMs);
    recent.push({ timeMs, id });
    if (recent.length > 2 * MAX_RECENT) recent = recent.slice(-MAX_RECENT);
    return [alert];
  }

  return {
    get state() {
      recent = recent.filter(({ timeMs }) => timeMs >= lastMs - DISORDER_MS).slice(-MAX_RECENT);
      return { positions, stdin: { lastMs, recent: recent.map(({ id }) => id) } };
    },
    read: async (add, onEnd) => {
      const skipped = { other: 0, malformed: 0 };
      for await (const batch of readJsonLines(stream, skipped)) {
        const alerts = batch.flatMap(unread);
        if (alerts.length > 0) add(alerts);
        onEnd();
      }
    },
  };
}
