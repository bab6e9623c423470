/** Reads an audit log: filters its lines, aggregates them and keeps the last ones. */
import { readJsonLines } from '../../core/report/json-lines.ts';
import { type AuditEntry, auditEntry } from './audit-entry.ts';
import { AuditSummary } from './audit-summary.ts';

/** The fields by which lines are filtered, by equality. */
export const FILTERED = ['user', 'target', 'door', 'key'] as const;

export interface AuditFilter extends Record<(typeof FILTERED)[number], string | undefined> {
  readonly refused: boolean;
  readonly sinceMs: number | undefined;
}

/** Old ones are dropped many at a time. */
const SLACK = 1_000;

export class AuditReading {
  readonly summary = new AuditSummary();
  readonly skipped = { other: 0, malformed: 0 };
  readonly #filter: AuditFilter;
  #keep: number;
  #kept: AuditEntry[] = [];

  /** `keep` says how many of the last are kept until they are taken. */
  constructor(filter: AuditFilter, keep: number) {
    this.#filter = filter;
    this.#keep = keep;
  }

  get keepsAll(): boolean {
    return this.#keep === Number.POSITIVE_INFINITY;
  }

  keepAll(): void {
    this.#keep = Number.POSITIVE_INFINITY;
  }

  /** What was kept since the last time. */
  take(): AuditEntry[] {
    this.#dropOld();
    return this.#kept.splice(0);
  }

  /** Comes back after every chunk of the log. */
  async *chunks(log: AsyncIterable<Buffer | string>): AsyncGenerator<void> {
    for await (const batch of readJsonLines(log, this.skipped)) {
      for (const fields of batch) this.#read(auditEntry(fields));
      yield;
    }
  }

  #read(entry: AuditEntry | 'other' | undefined): void {
    if (entry === undefined) this.skipped.malformed++;
    else if (entry === 'other') this.skipped.other++;
    else if (passes(entry, this.#filter)) {
      this.summary.add(entry);
      this.#kept.push(entry);
      if (this.#kept.length > this.#keep + SLACK) this.#dropOld();
    }
  }

  #dropOld(): void {
    if (this.#kept.length > this.#keep) this.#kept.splice(0, this.#kept.length - this.#keep);
  }
}

function passes(entry: AuditEntry, filter: AuditFilter): boolean {
  return (
    FILTERED.every((name) => filter[name] === undefined || entry[name] === filter[name]) &&
    (!filter.refused || entry.error !== '') &&
    (filter.sinceMs === undefined || entry.timeMs >= filter.sinceMs)
  );
}
