/** Reads the alerts of logs: of files that are followed, or of standard input. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonFields, readJsonLines } from '../../core/report/json-lines.ts';
import { eventLine } from '../event-log/event-lines.ts';
import { type Alert, alertOf, isAtLeast, type Severity } from './alert.ts';
import { type LogPosition, LogTail } from './log-tail.ts';
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

export class FileSource implements AlertSource {
  readonly #tails: readonly LogTail[];
  readonly #former: Readonly<Record<string, LogPosition>>;
  readonly #min: Severity;
  readonly #signal: AbortSignal;

  constructor(
    files: readonly string[],
    { positions }: SavedState,
    min: Severity,
    signal: AbortSignal,
    warn: (message: string) => void,
  ) {
    this.#tails = files.map((file) => new LogTail(file, positions[file], warn));
    this.#former = positions;
    this.#min = min;
    this.#signal = signal;
  }

  get state() {
    const read = this.#tails.map(({ path, position }) => [path, position] as const);
    const positions = { ...this.#former, ...Object.fromEntries(read) };
    return { positions, stdin: { lastMs: 0, recent: [] } };
  }

  async read(add: (alerts: readonly Alert[]) => void, onEnd: () => void): Promise<void> {
    try {
      while (!this.#signal.aborted) {
        let isAtEnd = true;
        for (const tail of this.#tails) {
          const lines = await tail.read();
          if (lines.length === 0) continue;
          isAtEnd = false;
          add(await alertsIn(lines, this.#min));
        }
        if (!isAtEnd) continue;
        onEnd();
        await sleep(POLL_MS, undefined, { signal: this.#signal }).catch(() => {});
      }
    } finally {
      for (const tail of this.#tails) await tail.close();
    }
  }
}

async function alertsIn(lines: Buffer, min: Severity): Promise<Alert[]> {
  const alerts: Alert[] = [];
  const skipped = { other: 0, malformed: 0 };
  const chunks = async function* () {
    yield lines;
  };
  for await (const batch of readJsonLines(chunks(), skipped)) {
    for (const fields of batch) alerts.push(...alertIn(fields, min));
  }
  return alerts;
}

function alertIn(fields: JsonFields, min: Severity): Alert[] {
  const line = eventLine(fields);
  const alert = line === undefined || line === 'other' ? undefined : alertOf(line);
  return alert && isAtLeast(alert.severity, min) ? [alert] : [];
}

/**
 * A stream has no position: after a restart, lines that were read before are recognised by their time,
 * and the latest by their hash.
 */
export class StreamSource implements AlertSource {
  readonly #stream: AsyncIterable<Buffer | string>;
  readonly #min: Severity;
  readonly #before: { readonly lastMs: number; readonly recent: ReadonlySet<string> };
  readonly #positions: Readonly<Record<string, LogPosition>>;
  #lastMs: number;
  #recent: { readonly timeMs: number; readonly id: string }[] = [];

  constructor(
    stream: AsyncIterable<Buffer | string>,
    { positions, stdin }: SavedState,
    min: Severity,
  ) {
    this.#stream = stream;
    this.#positions = positions;
    this.#before = { lastMs: stdin.lastMs, recent: new Set(stdin.recent) };
    this.#lastMs = stdin.lastMs;
    this.#recent = stdin.recent.map((id) => ({ timeMs: stdin.lastMs, id }));
    this.#min = min;
  }

  get state() {
    const recent = this.#recent.filter(({ timeMs }) => timeMs >= this.#lastMs - DISORDER_MS);
    this.#recent = recent.slice(-MAX_RECENT);
    const stdin = { lastMs: this.#lastMs, recent: this.#recent.map(({ id }) => id) };
    return { positions: this.#positions, stdin };
  }

  async read(add: (alerts: readonly Alert[]) => void, onEnd: () => void): Promise<void> {
    const skipped = { other: 0, malformed: 0 };
    for await (const batch of readJsonLines(this.#stream, skipped)) {
      const alerts = batch.flatMap((fields) => this.#unread(fields));
      if (alerts.length > 0) add(alerts);
      onEnd();
    }
  }

  #unread(fields: JsonFields): Alert[] {
    const [alert] = alertIn(fields, this.#min);
    if (!alert) return [];
    const { timeMs } = alert;
    const id = hash('sha256', JSON.stringify(fields)).slice(0, 16);
    const { lastMs, recent } = this.#before;
    if (timeMs < lastMs - DISORDER_MS || recent.has(id)) return [];
    this.#lastMs = Math.max(this.#lastMs, timeMs);
    this.#recent.push({ timeMs, id });
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT);
    return [alert];
  }
}
