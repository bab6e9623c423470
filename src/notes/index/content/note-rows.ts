/** The rows of one note, all but those of its links and those that say which file it is. */

import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import type { IndexedNote } from './indexed-note.ts';
import type { Language } from './note-language.ts';
import { type Searched, searchableSection } from './searchable-section.ts';

interface SectionRow {
  readonly id: number;
  readonly heading_path: string;
  readonly body_start: number;
  readonly text: string;
}

interface LanguageRow {
  readonly language: Language | null;
}

const SET_LANGUAGE = 'UPDATE files SET language = ? WHERE id = ?';
/** FTS5 keeps no copy of the sections: to delete one it needs the text that was indexed. */
const FORGET = `INSERT INTO sections_fts (sections_fts, rowid, title, heading, body, parts)
  VALUES ('delete', ?, ?, ?, ?, ?)`;
const INDEX =
  'INSERT INTO sections_fts (rowid, title, heading, body, parts) VALUES (?, ?, ?, ?, ?)';

export function clearRows(sql: Sql, id: number): void {
  const first = id * SECTIONS_PER_NOTE;
  const last = first + SECTIONS_PER_NOTE - 1;
  const names = sql.get<{ names: string }>('SELECT names FROM titles_fts WHERE rowid = ?', id);
  const language = sql.get<LanguageRow>('SELECT language FROM files WHERE id = ?', id)?.language;
  const sections = sql.all<SectionRow>(
    'SELECT id, heading_path, body_start, text FROM sections WHERE id BETWEEN ? AND ?',
    first,
    last,
  );
  for (const { id: section, heading_path, body_start: bodyStart, text } of sections) {
    const headingPath = JSON.parse(heading_path) as string[];
    putText(sql, FORGET, section, names?.names ?? '', { headingPath, bodyStart, text }, language);
  }
  if (language) sql.run(SET_LANGUAGE, null, id);
  sql.run('DELETE FROM titles_fts WHERE rowid = ?', id);
  sql.run('DELETE FROM sections WHERE id BETWEEN ? AND ?', first, last);
  sql.run('DELETE FROM tags WHERE file = ?', id);
  sql.run('DELETE FROM tasks WHERE file = ?', id);
  sql.run('DELETE FROM properties WHERE file = ?', id);
}

export function putRows(sql: Sql, id: number, note: IndexedNote): void {
  const names = note.searchableNames;
  if (note.language) sql.run(SET_LANGUAGE, note.language, id);
  sql.run('INSERT INTO titles_fts (rowid, names) VALUES (?, ?)', id, names);
  for (const [place, section] of note.sections.entries()) {
    const { line, headingPath, bodyStart, text } = section;
    const row = id * SECTIONS_PER_NOTE + place;
    const path = headingPath.length === 0 ? '[]' : JSON.stringify(headingPath);
    sql.run('INSERT INTO sections VALUES (?, ?, ?, ?, ?)', row, line, path, bodyStart, text);
    putText(sql, INDEX, row, names, section, note.language);
  }
  for (const [key, name] of note.tags) sql.run('INSERT INTO tags VALUES (?, ?, ?)', id, key, name);
  for (const [line, { done, state, text, due }] of note.tasks) {
    sql.run(
      'INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?)',
      id,
      line,
      done ? 1 : 0,
      text,
      due,
      state,
    );
  }
  for (const { key, place, text, number, shown } of note.properties) {
    sql.run(
      'INSERT INTO properties VALUES (?, ?, ?, ?, ?, ?)',
      id,
      key,
      place,
      text,
      number,
      shown,
    );
  }
}

/** The words are computed here and not with the note, so that a build uses two processors evenly. */
function putText(
  sql: Sql,
  statement: string,
  row: number,
  names: string,
  section: Searched,
  language?: Language | null,
): void {
  const { heading, body, parts } = searchableSection(section, language);
  sql.run(statement, row, names, heading, body, parts);
}
