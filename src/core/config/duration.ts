/** Durations as Go writes them: `30s`, `1m30s`, `500ms`, `12h`, `1.5h`. Zero is not a duration here. */
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** The maximum of Node's timers, which fire at once for a longer time. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Ten years, for times that are compared with the clock and need no timer. */
export const MAX_LIFETIME_MS = 87_600 * 3_600_000;

const FORM = 'a duration such as "30s", "1m30s" or "500ms"';
export const DURATION_FORM = `${FORM}, at most 596h`;
export const LIFETIME_FORM = `${FORM}, at most 87600h`;

/** Milliseconds that a timer can wait, or undefined when the text is no such duration. */
export function parseDuration(text: string): number | undefined {
  return parseUpTo(MAX_TIMER_MS, text);
}

/** A time of validity in milliseconds, or undefined when the text is none. */
export function parseLifetime(text: string): number | undefined {
  return parseUpTo(MAX_LIFETIME_MS, text);
}

function parseUpTo(maxMs: number, text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PART)) ms += Number(amount) * (UNIT_MS[unit!] ?? 0);
  const rounded = Math.round(ms);
  return rounded >= 1 && rounded <= maxMs ? rounded : undefined;
}
