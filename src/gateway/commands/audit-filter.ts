/** Filters audit lines by user, target, door, key, outcome and time. */
import type { AuditEntry } from './audit-entry.ts';

export interface AuditFilter {
  readonly user: string | undefined;
  readonly target: string | undefined;
  readonly door: string | undefined;
  readonly key: string | undefined;
  readonly refused: boolean;
  readonly sinceMs: number | undefined;
}

export function passes(entry: AuditEntry, filter: AuditFilter): boolean {
  return (
    (filter.user === undefined || entry.user === filter.user) &&
    (filter.target === undefined || entry.target === filter.target) &&
    (filter.door === undefined || entry.door === filter.door) &&
    (filter.key === undefined || entry.key === filter.key) &&
    (!filter.refused || entry.error !== '') &&
    (filter.sinceMs === undefined || entry.timeMs >= filter.sinceMs)
  );
}
