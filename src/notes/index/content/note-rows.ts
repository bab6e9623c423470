/**
 * The rows of one note, all but those of its links and those that say which file it is. Only rows
 * that differ from what is stored are written: a section that stays costs nothing in the full-text
 * index, which is most of what a write costs.
 */
import type { SQLInputValue } from 'node:sqlite';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import type { IndexedNote } from './indexed-note.ts';
import type { Language } from './note-language.ts';
import { type Searched, searchableSection } from './searchable-section.ts';
import type { IndexedSection } from './section-cuts.ts';

type Row = readonly SQLInputValue[];

interface SectionRow {
  readonly line: number;
  readonly heading_path: string;
  readonly body_start: number;
  readonly text: string;
}

/** What the full-text index has of every section of a note. */
interface Shared {
  readonly names: string;
  readonly language: Language | null;
}

/** A table with rows of files; its columns after `file`, of which the first ones are the key. */
interface Table {
  readonly select: string;
  readonly insert: string;
  readonly remove: string;
  readonly keys: number;
}

const TAGS = table('tags', ['key', 'name'], 1);
const TASKS = table('tasks', ['line', 'done', 'text', 'due', 'state'], 1);
const PROPERTIES = table('properties', ['key', 'place', 'text', 'number', 'shown'], 2);
/** FTS5 keeps no copy of the sections: to delete one it needs the text that was indexed. */
const FORGET = `INSERT INTO sections_fts (sections_fts, rowid, title, heading, body, parts)
  VALUES ('delete', ?, ?, ?, ?, ?)`;
const INDEX =
  'INSERT INTO sections_fts (rowid, title, heading, body, parts) VALUES (?, ?, ?, ?, ?)';

/** The rows of a note that is new to the index. */
export function putRows(sql: Sql, id: number, note: IndexedNote): void {
  replaceRows(sql, id, note, true);
}

/** Replaces the rows of a note by those of its new version; without one they are deleted. */
export function replaceRows(sql: Sql, id: number, note?: IndexedNote, isNew = false): void {
  const before = isNew ? undefined : readShared(sql, id);
  const after = note && { names: note.searchableNames, language: note.language ?? null };
  putShared(sql, id, before, after);
  putSections(sql, id, note, before, after);
  const put = (into: Table, rows: readonly Row[]) => putFileRows(sql, into, id, rows, isNew);
  put(TAGS, [...(note?.tags ?? [])]);
  const tasks = [...(note?.tasks ?? [])];
  put(
    TASKS,
    tasks.map(([line, { done, state, text, due }]) => [line, done ? 1 : 0, text, due, state]),
  );
  const properties = note?.properties ?? [];
  put(
    PROPERTIES,
    properties.map(({ key, place, text, number, shown }) => [key, place, text, number, shown]),
  );
}

/** Undefined where the note has no rows. */
function readShared(sql: Sql, id: number): Shared | undefined {
  return sql.get<{ names: string; language: Language | null }>(
    `SELECT t.names, f.language FROM titles_fts t JOIN files f ON f.id = t.rowid
      WHERE t.rowid = ?`,
    id,
  );
}

function putShared(sql: Sql, id: number, before?: Shared, after?: Shared): void {
  if (before?.names !== after?.names) {
    if (before) sql.run('DELETE FROM titles_fts WHERE rowid = ?', id);
    if (after) sql.run('INSERT INTO titles_fts (rowid, names) VALUES (?, ?)', id, after.names);
  }
  const language = after?.language ?? null;
  if (language === (before?.language ?? null)) return;
  sql.run('UPDATE files SET language = ? WHERE id = ?', language, id);
}

/**
 * Each section is deleted and inserted before the next: FTS5 writes out all it holds when an id is
 * less than the one before it.
 */
function putSections(
  sql: Sql,
  id: number,
  note?: IndexedNote,
  before?: Shared,
  after?: Shared,
): void {
  const { sections = [], searchable } = note ?? {};
  const first = id * SECTIONS_PER_NOTE;
  const stored = before === undefined ? [] : storedSections(sql, first);
  const isShared = before?.names === after?.names && before?.language === after?.language;
  for (let place = 0; place < Math.max(stored.length, sections.length); place++) {
    const row = first + place;
    const [old, section] = [stored[place], sections[place]];
    const path = section && pathText(section);
    const isSameText = old?.text === section?.text && old?.body_start === section?.bodyStart;
    const isSame = isSameText && old?.heading_path === path;
    if (!isSame || old?.line !== section?.line) putSection(sql, row, old, section, path);
    if (isSame && isShared) continue;
    if (old) putText(sql, FORGET, row, before!, sectionOf(old));
    if (section) putText(sql, INDEX, row, after!, section, searchable?.[place]);
  }
}

function storedSections(sql: Sql, first: number): SectionRow[] {
  return sql.all<SectionRow>(
    `SELECT line, heading_path, body_start, text FROM sections WHERE id BETWEEN ? AND ?
      ORDER BY id`,
    first,
    first + SECTIONS_PER_NOTE - 1,
  );
}

function putSection(
  sql: Sql,
  row: number,
  old?: SectionRow,
  section?: IndexedSection,
  path?: string,
): void {
  if (!section) sql.run('DELETE FROM sections WHERE id = ?', row);
  else {
    const { line, bodyStart, text } = section;
    const statement = old
      ? 'UPDATE sections SET line = ?, heading_path = ?, body_start = ?, text = ? WHERE id = ?'
      : 'INSERT INTO sections (line, heading_path, body_start, text, id) VALUES (?, ?, ?, ?, ?)';
    sql.run(statement, line, path!, bodyStart, text, row);
  }
}

function pathText({ headingPath }: IndexedSection): string {
  return headingPath.length === 0 ? '[]' : JSON.stringify(headingPath);
}

function sectionOf({ heading_path, body_start, text }: SectionRow): Searched {
  return { headingPath: JSON.parse(heading_path) as string[], bodyStart: body_start, text };
}

function putText(
  sql: Sql,
  statement: string,
  row: number,
  { names, language }: Shared,
  section: Searched,
  searchable = searchableSection(section, language),
): void {
  const { heading, body, parts } = searchable;
  sql.run(statement, row, names, heading, body ?? section.text.slice(section.bodyStart), parts);
}

/** Deletes the stored rows that are not among the new ones, and inserts those that are not stored. */
function putFileRows(
  sql: Sql,
  { select, insert, remove, keys }: Table,
  id: number,
  rows: readonly Row[],
  isNew: boolean,
): void {
  const stored = isNew ? [] : sql.lists<Row>(select, id);
  if (stored.length === 0 && rows.length === 0) return;
  const known = new Set(stored.map(rowText));
  const wanted = new Set(rows.map(rowText));
  for (const row of stored) {
    if (!wanted.has(rowText(row))) sql.run(remove, id, ...row.slice(0, keys));
  }
  for (const row of rows) if (!known.has(rowText(row))) sql.run(insert, id, ...row);
}

function rowText(row: Row): string {
  return JSON.stringify(row);
}

function table(name: string, columns: readonly string[], keys: number): Table {
  const key = columns.slice(0, keys).map((column) => `${column} = ?`);
  return {
    select: `SELECT ${columns.join(', ')} FROM ${name} WHERE file = ?`,
    insert: `INSERT INTO ${name} (file, ${columns.join(', ')})
      VALUES (?${', ?'.repeat(columns.length)})`,
    remove: `DELETE FROM ${name} WHERE file = ? AND ${key.join(' AND ')}`,
    keys,
  };
}
