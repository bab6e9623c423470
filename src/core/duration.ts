/** Durations as Go writes them: `30s`, `1m30s`, `500ms`, `12h`, `1.5h`. Zero is not a duration here. */
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/** No timer of Node reaches further; a longer duration is refused rather than fired at once. */
const MAX_MS = 2 ** 31 - 1;

export const DURATION_FORM = 'a duration such as "30s", "1m30s" or "500ms"';

/** Milliseconds, or undefined when the text is no duration of at least a millisecond. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PART)) ms += Number(amount) * (UNIT_MS[unit!] ?? 0);
  const rounded = Math.round(ms);
  return rounded >= 1 && rounded <= MAX_MS ? rounded : undefined;
}
