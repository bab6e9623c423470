/** The value of a property of a note, as a cell of a table. */
import { foldProperty } from '../content/note-properties.ts';
import type { Sql } from '../store/sql.ts';

type Single = string | number;
/** Null if the note has no such property. */
export type ColumnValue = Single | readonly Single[] | null;

interface PropertyRow {
  readonly text: string;
  readonly number: number | null;
  readonly shown: string | null;
}

const MAX_VALUES = 50;

/** `tags` are those of the text, too. */
export function columnValue(sql: Sql, note: number, column: string): ColumnValue {
  const key = foldProperty(column);
  if (key === 'tags') {
    const tags = sql.all<{ name: string }>(
      `SELECT name FROM tags WHERE file = ? ORDER BY key LIMIT ${MAX_VALUES}`,
      note,
    );
    return tags.map(({ name }) => name);
  }
  const values = sql
    .all<PropertyRow>(
      `SELECT text, number, shown FROM properties WHERE file = ? AND key = ?
        ORDER BY place LIMIT ${MAX_VALUES}`,
      note,
      key,
    )
    .map(({ text, number, shown }) => number ?? shown ?? text);
  return values.length > 1 ? values : (values[0] ?? null);
}
