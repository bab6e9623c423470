/** Parses days, times and durations from callers. */
import { DAY_MS } from '../../core/time.ts';
import { dayBefore, dayOf, isDay } from '../text/day.ts';
import { invalidArguments } from './notes-error.ts';

const DAYS = { d: 1, w: 7, m: 30, y: 365 } as const;
const SPAN = /^(\d{1,5})([dwmy])$/;
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** `90d`, `12w`, `6m` or `1y`. */
export function readSpan(text: string): number {
  const [, count, unit] = SPAN.exec(text) ?? [];
  if (unit !== undefined) return Number(count) * DAYS[unit as keyof typeof DAYS] * DAY_MS;
  throw invalidArguments('invalid duration; write 90d, 12w, 6m or 1y');
}

/**
 * A day such as `2026-11-15`, `today` or `yesterday` in the server's time zone, of which the start or
 * the end counts; an ISO time; or `7d` before now.
 */
export function readMoment(text: string, now: Date, edge?: Edge): number {
  const moment = momentOf(text, now, edge);
  if (moment !== undefined) return moment;
  throw invalidArguments(
    'invalid time; write 2026-11-15, yesterday, 2026-11-15T09:30Z, or 7d for a week ago',
  );
}

type Edge = 'start' | 'end';

/** As `readMoment`; undefined for anything else. */
export function momentOf(text: string, now: Date, edge: Edge = 'start'): number | undefined {
  if (SPAN.test(text)) return now.getTime() - readSpan(text);
  const day = dayNamed(text, now);
  if (day !== undefined) {
    const moment = new Date(`${day}T00:00`);
    if (edge === 'end') moment.setDate(moment.getDate() + 1);
    return moment.getTime();
  }
  const moment = MOMENT.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/** `2026-11-15`, `today` or `yesterday`. */
export function readDay(text: string, now: Date): string {
  const day = dayNamed(text, now);
  if (day !== undefined) return day;
  throw invalidArguments('invalid day; write 2026-11-15, today or yesterday');
}

function dayNamed(text: string, now: Date): string | undefined {
  if (text === 'today') return dayOf(now);
  if (text === 'yesterday') return dayBefore(dayOf(now));
  return isDay(text) ? text : undefined;
}

interface Period {
  readonly modified_after?: string;
  readonly modified_before?: string;
}

export function readPeriod({ modified_after: after, modified_before: before }: Period, now: Date) {
  return {
    ...(after !== undefined && { modifiedAfterMs: readMoment(after, now) }),
    ...(before !== undefined && { modifiedBeforeMs: readMoment(before, now) }),
  };
}
