/** The texts of notes in the index. */
import { IndexError } from '../store/index-error.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { andAlso, type Condition } from './file-filter.ts';

export interface NoteText {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Throws `note_not_found`. */
export function noteId(sql: Sql, path: string): number {
  const note = sql.get<{ id: number }>('SELECT id FROM files WHERE path = ?', path);
  if (note !== undefined) return note.id;
  throw new IndexError('note_not_found', `there is no "${path}"; note_search finds notes`);
}

export function noteText(sql: Sql, id: number): string {
  const first = id * SECTIONS_PER_NOTE;
  return sql
    .all<{ text: string }>(
      'SELECT text FROM sections WHERE id BETWEEN ? AND ? ORDER BY id',
      first,
      first + SECTIONS_PER_NOTE - 1,
    )
    .map(({ text }) => text)
    .join('');
}

/** The notes that match the filter, in the order of paths, starting at `from`. */
export function* noteTexts(sql: Sql, filter: Condition, from = ''): Generator<NoteText> {
  const rows = sql.all<{ id: number; path: string; title: string }>(
    `SELECT f.id, f.path, f.title FROM files f
      WHERE f.kind = 'note' AND f.path >= ? AND f.skipped IS NULL${andAlso(filter)}
      ORDER BY f.path`,
    from,
    ...filter.values,
  );
  for (const row of rows) yield { ...row, text: noteText(sql, row.id) };
}
