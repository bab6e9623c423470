/** Pages of a list, and the cursor that leads from one to the next. */
import { IndexError } from './index-error.ts';

/** Where the next page begins. It is opaque to callers and says nothing but numbers. */
export function writeCursor(offsets: readonly number[]): string {
  return Buffer.from(offsets.join('.')).toString('base64url');
}

/** A caller may forge one: numbers below `least` are none of ours. */
export function readCursor(cursor: string | undefined, length = 1, least = 0): number[] {
  if (cursor === undefined) return new Array<number>(length).fill(0);
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const offsets = /^-?\d{1,9}(?:\.-?\d{1,9})*$/.test(text) ? text.split('.').map(Number) : [];
  if (offsets.length !== length || offsets.some((offset) => offset < least)) {
    throw new IndexError(
      'invalid_arguments',
      'the cursor is not one of ours; leave it out to begin',
    );
  }
  return offsets;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** A page of rows, where one row more than the limit was asked for. */
export function pageOf<Item>(rows: readonly Item[], offset: number, limit: number): Page<Item> {
  if (rows.length <= limit) return { items: rows };
  return { items: rows.slice(0, limit), cursor: writeCursor([offset + limit]) };
}
