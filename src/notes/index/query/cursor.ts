/**
 * Pages of a list, and the cursor that leads from one to the next. A caller works with a page
 * before the next is asked for, moves its notes and ticks off its tasks. So a list that has an
 * order of its own goes on at a place in that order; to count items would pass over as many as went.
 */
import { IndexError } from '../store/index-error.ts';

/** What the first item of the next page is ordered by. A NUL may stand in the last part only. */
export type Place = readonly (string | number)[];

const PLACE = 'at';

export function writePlace(place: Place): string {
  return Buffer.from([PLACE, ...place].join('\0')).toString('base64url');
}

/** Undefined without a cursor. A caller may forge one, so numbers are numbers here. */
export function readPlace(
  cursor: string | undefined,
  kinds: readonly ('text' | 'number')[],
): Place | undefined {
  if (cursor === undefined) return undefined;
  const [mark, ...parts] = Buffer.from(cursor, 'base64url').toString('utf8').split('\0');
  const last = parts.splice(kinds.length - 1).join('\0');
  const texts = [...parts, last];
  const isPlace = kinds.every(
    (kind, at) => kind === 'text' || /^-?\d{1,15}$/.test(texts[at] ?? ''),
  );
  if (mark !== PLACE || texts.length !== kinds.length || !isPlace) throw notOurs();
  return kinds.map((kind, at) => (kind === 'text' ? texts[at]! : Number(texts[at])));
}

function notOurs(): IndexError {
  return new IndexError(
    'invalid_arguments',
    'the cursor is not one of ours; leave it out to begin',
  );
}

/** How many items come before the next page, for what has no such order. */
export function writeCursor(offsets: readonly number[]): string {
  return Buffer.from(offsets.join('.')).toString('base64url');
}

/** A caller may forge one: numbers below `least` are none of ours. */
export function readCursor(cursor: string | undefined, length = 1, least = 0): number[] {
  if (cursor === undefined) return new Array<number>(length).fill(0);
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const offsets = /^-?\d{1,9}(?:\.-?\d{1,9})*$/.test(text) ? text.split('.').map(Number) : [];
  if (offsets.length !== length || offsets.some((offset) => offset < least)) {
    throw notOurs();
  }
  return offsets;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** A page of rows, where one row more than the limit was asked for: the next page begins there. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
  placeOf: (row: Row) => Place,
): Page<Item> {
  const next = rows[limit];
  return {
    items: rows.slice(0, limit).map(item),
    ...(next !== undefined && { cursor: writePlace(placeOf(next)) }),
  };
}
