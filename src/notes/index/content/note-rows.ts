/** The rows of one note, all but those of its links and those that say which file it is. */

import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import type { IndexedNote } from './indexed-note.ts';

export function clearRows(sql: Sql, id: number): void {
  const first = id * SECTIONS_PER_NOTE;
  const last = first + SECTIONS_PER_NOTE - 1;
  for (const { id: section } of sql.all<{ id: number }>(
    'SELECT id FROM sections WHERE id BETWEEN ? AND ?',
    first,
    last,
  )) {
    sql.run('DELETE FROM sections_fts WHERE rowid = ?', section);
  }
  sql.run('DELETE FROM titles_fts WHERE rowid = ?', id);
  sql.run('DELETE FROM sections WHERE id BETWEEN ? AND ?', first, last);
  sql.run('DELETE FROM tags WHERE file = ?', id);
  sql.run('DELETE FROM tasks WHERE file = ?', id);
  sql.run('DELETE FROM properties WHERE file = ?', id);
}

export function putRows(sql: Sql, id: number, note: IndexedNote): void {
  const { searchable } = note;
  sql.run('INSERT INTO titles_fts (rowid, names) VALUES (?, ?)', id, searchable.names);
  for (const [place, { line, headingPath, bodyStart, text }] of note.sections.entries()) {
    const section = id * SECTIONS_PER_NOTE + place;
    const path = headingPath.length === 0 ? '[]' : JSON.stringify(headingPath);
    const { heading, body } = searchable.sections[place]!;
    sql.run('INSERT INTO sections VALUES (?, ?, ?, ?, ?)', section, line, path, bodyStart, text);
    sql.run(
      'INSERT INTO sections_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)',
      section,
      searchable.title,
      heading,
      body ?? text.slice(bodyStart),
    );
  }
  for (const [key, name] of note.tags) sql.run('INSERT INTO tags VALUES (?, ?, ?)', id, key, name);
  for (const [line, { done, text, due }] of note.tasks) {
    sql.run('INSERT INTO tasks VALUES (?, ?, ?, ?, ?)', id, line, done ? 1 : 0, text, due);
  }
  for (const { key, place, text, number } of note.properties) {
    sql.run('INSERT INTO properties VALUES (?, ?, ?, ?, ?)', id, key, place, text, number);
  }
}
