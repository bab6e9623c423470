/** A point in time as `--since` takes it: how long ago, or a date. */
import { parseLifetime } from '../config/duration.ts';
import { DAY_MS } from '../time.ts';

export const SINCE_FORM = 'a time such as 90m, 1h, 7d, 2026-11-15 or 2026-11-15T10:00';

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Dates without a zone are UTC, as in the log; undefined for an invalid time. */
export function parseSince(text: string, nowMs: number): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return nowMs - Number(days) * DAY_MS;
  const ago = parseLifetime(text);
  if (ago !== undefined) return nowMs - ago;
  const match = DATE.exec(text);
  if (!match) return undefined;
  const isDay = text.length === 10;
  const timeMs = Date.parse(match[1] || isDay ? text : `${text}Z`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
