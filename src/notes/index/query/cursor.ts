/**
 * Pagination. A caller may move notes or complete tasks between two pages, so the cursor of a
 * sorted list is the sort key of the next item (keyset pagination): an offset would skip items.
 */
import { IndexError } from '../store/index-error.ts';

/** The sort key of the first item of the next page. Only its last part may contain NUL. */
export type SortKey = readonly (string | number)[];

const PREFIX = 'at';

export function writePlace(key: SortKey): string {
  return Buffer.from([PREFIX, ...key].join('\0')).toString('base64url');
}

/** Undefined without a cursor. Validates it, because a caller may forge one. */
export function readPlace(
  cursor: string | undefined,
  kinds: readonly ('text' | 'number')[],
): SortKey | undefined {
  if (cursor === undefined) return undefined;
  const [prefix, ...parts] = Buffer.from(cursor, 'base64url').toString('utf8').split('\0');
  const last = parts.splice(kinds.length - 1).join('\0');
  const texts = [...parts, last];
  const isValid = kinds.every(
    (kind, at) => kind === 'text' || /^-?\d{1,15}$/.test(texts[at] ?? ''),
  );
  if (prefix !== PREFIX || texts.length !== kinds.length || !isValid) throw invalidCursor();
  return kinds.map((kind, at) => (kind === 'text' ? texts[at]! : Number(texts[at])));
}

function invalidCursor(): IndexError {
  const message =
    'the cursor is of another call; send it with the same arguments, or omit it for the first page';
  return new IndexError('invalid_arguments', message);
}

/** A cursor of offsets, for lists without a sort key. */
export function writeCursor(offsets: readonly number[]): string {
  return Buffer.from(offsets.join('.')).toString('base64url');
}

/** Validates the cursor, because a caller may forge one. */
export function readCursor(cursor: string | undefined, length = 1, min = 0): number[] {
  if (cursor === undefined) return new Array<number>(length).fill(0);
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const offsets = /^-?\d{1,9}(?:\.-?\d{1,9})*$/.test(text) ? text.split('.').map(Number) : [];
  if (offsets.length !== length || offsets.some((offset) => offset < min)) {
    throw invalidCursor();
  }
  return offsets;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/**
 * A page of rows that were queried with a limit of one more; the extra row starts the next page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
  keyOf: (row: Row) => SortKey,
): Page<Item> {
  const next = rows[limit];
  return {
    items: rows.slice(0, limit).map(item),
    ...(next !== undefined && { cursor: writePlace(keyOf(next)) }),
  };
}
