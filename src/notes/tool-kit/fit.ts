/**
 * Keeps every answer short enough for a model to read: whatever stands in a vault, a title of a
 * megabyte or a thousand hits, a result stays under 20,000 characters as it goes over the wire.
 */

/** For the items of a list; what stands beside them has the rest. */
export const PAGE_CHARS = 17_000;

/** For the whole of a write's result; the names of lists that were cut have the rest. */
const RESULT_CHARS = 19_500;
const MAX_ITEMS = 64;
const MAX_TEXT_LENGTH = 300;
/** Of use only whole, and bounded by what a path may be. */
const WHOLE = new Set([
  ...['path', 'from', 'to', 'moved_from', 'merged_from', 'paths', 'linked_from'],
  ...['cursor', 'commit', 'change_id', 'trash_id'],
]);

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string;
}

/** How long a value is as JSON, every escape counted. */
export function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** A text of at most so many characters, and a sign where something is missing. */
export function clip(text: string, max = MAX_TEXT_LENGTH): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** A copy in which no text is long, save paths and ids. */
export function clipTexts<Value>(value: Value, max = MAX_TEXT_LENGTH): Value {
  if (typeof value === 'string') return clip(value, max) as Value;
  if (Array.isArray(value)) return value.map((item) => clipTexts(item, max)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    WHOLE.has(key) ? keptWhole(item, max) : clipTexts(item, max),
  ]);
  return Object.fromEntries(entries) as Value;
}

/** A text, or a list of texts, which may then be cut itself. */
function keptWhole(value: unknown, max: number): unknown {
  if (Array.isArray(value)) return value.map((item) => keptWhole(item, max));
  return typeof value === 'string' ? value : clipTexts(value, max);
}

/** How many of the first items have room. */
export function countFitting(items: readonly unknown[], maxChars = PAGE_CHARS): number {
  let chars = 2;
  for (const [index, item] of items.entries()) {
    chars += jsonLength(item) + 1;
    if (chars > maxChars) return index;
  }
  return items.length;
}

/**
 * A page of at most `limit` items that has room: one that has not is asked for again with fewer,
 * so that its cursor leads on from what is shown.
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

/** What explains a refusal, with less of it where it is too long: some of a list, or nothing. */
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
 * What a write tells of, links mended, notes made, warnings: as much as has room. Long texts are
 * clipped, then lists are cut, and `cut` names those; the difference is the last to be clipped.
 */
export function fitResult(result: object, maxChars = RESULT_CHARS): object {
  if (jsonLength(result) <= maxChars) return result;
  const { diff, ...told } = result as { readonly diff?: unknown };
  const clipped: { diff?: unknown } = { ...clipTexts(told), ...(diff !== undefined && { diff }) };
  const cut = new Set<string>();
  for (let most = MAX_ITEMS; jsonLength(clipped) > maxChars && most > 0; most >>= 1) {
    cutLists(clipped, most, cut);
  }
  // Control characters are six each in JSON.
  while (jsonLength(clipped) > maxChars && typeof clipped.diff === 'string') {
    if (clipped.diff.length <= 1) break;
    clipped.diff = clip(clipped.diff, Math.ceil(clipped.diff.length / 2));
  }
  return cut.size === 0 ? clipped : { ...clipped, cut: [...cut] };
}

/** Cuts the lists within a value, in place, and collects their names. */
function cutLists(value: object, most: number, cut: Set<string>): void {
  for (const [name, item] of Object.entries(value)) {
    if (Array.isArray(item) && item.length > most) {
      item.length = most;
      cut.add(name);
    }
    if (typeof item === 'object' && item !== null) cutLists(item, most, cut);
  }
}
