/** Keeps every result under 20,000 characters of JSON, whatever a vault contains. */
import { writeCursor } from '../index/query/cursor.ts';

/** Budget for the items of a list; the rest is for the fields beside them. */
export const PAGE_CHARS = 17_000;

/** Budget for the result of a write; the rest is for the names of truncated lists. */
const RESULT_CHARS = 19_500;
const MAX_ITEMS = 64;
const MAX_TEXT_LENGTH = 300;
/** Keys whose values are only useful whole; paths and ids have their own limits. */
const WHOLE = new Set([
  ...['path', 'from', 'to', 'moved_from', 'merged_from', 'paths', 'linked_from'],
  ...['cursor', 'commit', 'change_id', 'trash_id'],
]);

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}

/** The length of a value as JSON, escapes included. */
export function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Truncates a text, marked by an ellipsis. */
export function clip(text: string, max = MAX_TEXT_LENGTH): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** A copy with long texts truncated, except paths and ids. */
export function clipTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return clip(value) as Value;
  if (Array.isArray(value)) return value.map((item) => clipTexts(item)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    WHOLE.has(key) ? keptWhole(item) : clipTexts(item),
  ]);
  return Object.fromEntries(entries) as Value;
}

function keptWhole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keptWhole);
  return typeof value === 'string' ? value : clipTexts(value);
}

/** The number of leading items that fit the budget. */
export function countFitting(items: readonly unknown[], maxChars = PAGE_CHARS): number {
  let chars = 2;
  for (const [index, item] of items.entries()) {
    chars += jsonLength(item) + 1;
    if (chars > maxChars) return index;
  }
  return items.length;
}

/**
 * A page of at most `limit` items that fits the budget. A page that does not is fetched again with a
 * smaller limit, so that its cursor continues after the last item shown.
 */
export async function fittingPage<Item>(
  limit: number,
  ask: (limit: number) => Promise<ListPage<Item>>,
): Promise<ListPage<Item>> {
  for (let asked = limit; ; ) {
    const page = await ask(asked);
    const fitting = countFitting(page.items);
    if (fitting === page.items.length || asked === 1) return page;
    asked = Math.max(1, Math.min(fitting, asked - 1));
  }
}

/** As `fittingPage`, with long texts truncated. */
export function clippedPage<Item>(
  limit: number,
  ask: (limit: number) => Promise<ListPage<Item>>,
): Promise<ListPage<Item>> {
  return fittingPage(limit, async (count) => {
    const page = await ask(count);
    return { ...page, items: clipTexts(page.items) };
  });
}

/** The items of a page that begins at an offset. */
export function offsetPage<Item>(
  all: readonly Item[],
  offset: number,
  count: number,
): ListPage<Item> {
  const next = offset + count;
  return {
    items: all.slice(offset, next),
    ...(all.length > next && { cursor: writeCursor([next]) }),
  };
}

/** The data of a refusal within the budget: lists truncated, or nothing. */
export function fitData(
  data: Readonly<Record<string, unknown>>,
  maxChars: number,
): Readonly<Record<string, unknown>> {
  if (jsonLength(data) <= maxChars) return data;
  const clipped = clipTexts(data);
  const entries = Object.entries(clipped).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.slice(0, 5) : value,
  ]);
  const short = Object.fromEntries(entries);
  return jsonLength(short) <= maxChars ? short : {};
}

/**
 * The result of a write within the budget: long texts are truncated first, then lists, which `cut`
 * names, and the diff last.
 */
export function fitResult(result: object, maxChars = RESULT_CHARS): object {
  if (jsonLength(result) <= maxChars) return result;
  const { diff, ...others } = result as { readonly diff?: unknown };
  const clipped: { diff?: unknown } = { ...clipTexts(others), ...(diff !== undefined && { diff }) };
  const cut = new Set<string>();
  for (let most = MAX_ITEMS; jsonLength(clipped) > maxChars && most > 0; most >>= 1) {
    cutLists(clipped, most, cut);
  }
  // A control character is six characters of JSON.
  while (jsonLength(clipped) > maxChars && typeof clipped.diff === 'string') {
    if (clipped.diff.length <= 1) break;
    clipped.diff = clip(clipped.diff, Math.ceil(clipped.diff.length / 2));
  }
  return cut.size === 0 ? clipped : { ...clipped, cut: [...cut] };
}

/** Truncates the lists within a value in place and collects their names. */
function cutLists(value: object, most: number, cut: Set<string>): void {
  for (const [name, item] of Object.entries(value)) {
    if (Array.isArray(item) && item.length > most) {
      item.length = most;
      cut.add(name);
    }
    if (typeof item === 'object' && item !== null) cutLists(item, most, cut);
  }
}
