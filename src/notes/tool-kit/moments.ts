/** Parses days, times and durations from callers. */
import { DAY_MS } from '../../core/time.ts';
import { dayOf, isDay } from '../text/day.ts';
import { NotesError } from './notes-error.ts';

const DAYS = { d: 1, w: 7, m: 30, y: 365 } as const;
const SPAN = /^(\d{1,5})([dwmy])$/;
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** `90d`, `12w`, `6m` or `1y`. */
export function readSpan(text: string): number {
  const [, count, unit] = SPAN.exec(text) ?? [];
  if (unit !== undefined) return Number(count) * DAYS[unit as keyof typeof DAYS] * DAY_MS;
  throw new NotesError('invalid_arguments', 'invalid duration; write 90d, 12w, 6m or 1y');
}

/** `2026-11-15` for the start of that day in the server's time zone, an ISO time, or `7d` before now. */
export function readMoment(text: string, now: Date): number {
  if (SPAN.test(text)) return now.getTime() - readSpan(text);
  if (MOMENT.test(text) && isDay(text.slice(0, 10))) {
    const moment = Date.parse(isDay(text) ? `${text}T00:00` : text);
    if (!Number.isNaN(moment)) return moment;
  }
  throw new NotesError(
    'invalid_arguments',
    'invalid time; write 2026-11-15, 2026-11-15T09:30Z, or 7d for a week ago',
  );
}

/** `2026-11-15` or `today`. */
export function readDay(text: string, now: Date): string {
  if (text === 'today') return dayOf(now);
  if (isDay(text)) return text;
  throw new NotesError('invalid_arguments', 'invalid day; write 2026-11-15 or today');
}
