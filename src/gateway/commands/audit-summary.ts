/** Aggregates audit lines, in bounded memory, for the terminal and the page. */
import { Durations } from '../../core/report/durations.ts';
import { Hours } from '../../core/report/hours.ts';
import { Tallies } from '../../core/report/tallies.ts';
import type { AuditEntry } from './audit-entry.ts';

const MAX_GROUPS = 200;
const MAX_CODES = 200;
const MAX_REFLECTIONS = 500;
const OTHERS = '(others)';

/** The calls of one user, or to one target. */
export class Group {
  readonly name: string;
  readonly durations = new Durations();
  calls = 0;
  refused = 0;
  reflected = 0;
  bytes = 0;

  constructor(name: string) {
    this.name = name;
  }

  add({ error, redacted, bytes, durationMs }: AuditEntry): void {
    this.calls++;
    this.bytes += bytes;
    if (redacted > 0) this.reflected++;
    if (error === '') this.durations.add(durationMs);
    else this.refused++;
  }
}

export class AuditSummary {
  readonly all = new Group('all');
  readonly targets = new Map<string, Group>();
  readonly users = new Map<string, Group>();
  /** Refusals by their code. */
  readonly codes = new Tallies(MAX_CODES);
  /** Answers and refusals. */
  readonly hours = new Hours(2);
  readonly reflections: AuditEntry[] = [];
  firstMs = Number.POSITIVE_INFINITY;
  lastMs = Number.NEGATIVE_INFINITY;

  add(entry: AuditEntry): void {
    const { timeMs, user, target, error } = entry;
    this.firstMs = Math.min(this.firstMs, timeMs);
    this.lastMs = Math.max(this.lastMs, timeMs);
    this.all.add(entry);
    groupOf(this.targets, target || '(none)').add(entry);
    groupOf(this.users, user || '(nobody)').add(entry);
    this.hours.add(timeMs, error === '' ? 0 : 1);
    if (error !== '') this.codes.add(error, timeMs, target || '(none)');
    if (entry.redacted > 0 && this.reflections.length < MAX_REFLECTIONS)
      this.reflections.push(entry);
  }
}

function groupOf(groups: Map<string, Group>, given: string): Group {
  const name = groups.has(given) || groups.size < MAX_GROUPS ? given : OTHERS;
  const group = groups.get(name) ?? new Group(name);
  groups.set(name, group);
  return group;
}
