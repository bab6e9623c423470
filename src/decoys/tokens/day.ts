/** Days since 1970 in UTC. Answers of decoys change from one day to the next. */
import { DAY_MS } from '../../core/time.ts';

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** `2026-11-15`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
