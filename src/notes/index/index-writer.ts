import { isNote } from '../storage/vault-path.ts';
import type { IndexedNote } from './indexed-note.ts';
import { type FileName, fileNames } from './link-names.ts';
import { LinkResolver } from './link-resolver.ts';
import {
  type FileStamp,
  type FoundFile,
  hashOf,
  type PreparedFile,
  prepareFile,
} from './prepared-file.ts';
import { SECTIONS_PER_NOTE } from './schema.ts';
import { searchableText } from './searchable-text.ts';
import type { Sql } from './sql.ts';

export interface WriteResult {
  /** False where the index held these very bytes already. */
  readonly changed: boolean;
  /** How many links were looked at again because of it. */
  readonly linksResolved: number;
}

export interface NoteCounts {
  readonly notes: number;
  /** Those of the notes that are not indexed. */
  readonly skipped: number;
}

interface FileRow {
  readonly id: number;
  readonly hash: string | null;
  readonly skipped: string | null;
}

const NOT_CHANGED: WriteResult = { changed: false, linksResolved: 0 };

/**
 * Brings the index up to one file. What a change costs depends on the file and on the links that
 * name it, never on the size of the vault. The caller holds the transaction; `resolveLinks` must
 * be called before it is committed.
 */
export class IndexWriter {
  readonly #sql: Sql;
  readonly #now: () => number;
  readonly #links: LinkResolver;
  #counts: NoteCounts;

  constructor(sql: Sql, now: () => number) {
    this.#sql = sql;
    this.#now = now;
    this.#links = new LinkResolver(sql);
    this.#counts = this.#count();
  }

  /** Kept up to date with every write, because counting them takes longer than one. */
  get counts(): NoteCounts {
    return this.#counts;
  }

  /** Says whether anything but the stamp of the file is new to the index. */
  upsert(file: FoundFile): boolean {
    const row = this.#row(file.path);
    const hash = hashOf(file);
    if (row && row.hash === hash && hash !== null) {
      this.#touch(row.id, file);
      return false;
    }
    this.put(prepareFile(file, hash), row);
    return true;
  }

  put({ stamp, hash, skipped, note }: PreparedFile, row = this.#row(stamp.path)): void {
    const id = this.#putFile(row, stamp, hash, skipped, note);
    this.#putNames(id, row !== undefined, note?.names ?? fileNames(stamp.path, '', []));
    if (row) this.#clear(id);
    if (note) this.#putNote(id, nameOf(stamp.path), note);
  }

  remove(path: string): boolean {
    const row = this.#row(path);
    if (!row) return false;
    this.#putNames(row.id, true, []);
    this.#clear(row.id);
    this.#sql.run('DELETE FROM files WHERE id = ?', row.id);
    if (isNote(path)) this.#add(-1, row.skipped === null ? 0 : -1);
    return true;
  }

  /** The paths of all files at or below a folder. */
  below(folder: string): string[] {
    return this.#sql
      .all<{ path: string }>(
        'SELECT path FROM files WHERE path >= ? AND path < ?',
        `${folder}/`,
        `${folder}0`,
      )
      .map(({ path }) => path);
  }

  /** Resolves the links that what happened since the last call concerns; says how many. */
  resolveLinks(): number {
    return this.#links.resolve();
  }

  /** One file as one transaction. */
  atomically(work: () => boolean): WriteResult {
    this.#sql.exec('BEGIN IMMEDIATE');
    try {
      const changed = work();
      const result = changed ? { changed, linksResolved: this.resolveLinks() } : NOT_CHANGED;
      this.#sql.exec('COMMIT');
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  rollback(): void {
    this.#links.forget();
    this.#sql.exec('ROLLBACK');
    this.#counts = this.#count();
  }

  #count(): NoteCounts {
    const counts = this.#sql.get<NoteCounts>(
      `SELECT count(*) AS notes, count(skipped) AS skipped FROM files WHERE kind = 'note'`,
    );
    return { notes: counts?.notes ?? 0, skipped: counts?.skipped ?? 0 };
  }

  #add(notes: number, skipped: number): void {
    const counts = this.#counts;
    this.#counts = { notes: counts.notes + notes, skipped: counts.skipped + skipped };
  }

  #row(path: string): FileRow | undefined {
    return this.#sql.get<FileRow>('SELECT id, hash, skipped FROM files WHERE path = ?', path);
  }

  #touch(id: number, { size, mtimeMs }: FileStamp): void {
    this.#sql.run(
      'UPDATE files SET size = ?, mtime_ms = ?, indexed_ms = ? WHERE id = ?',
      size,
      Math.floor(mtimeMs),
      this.#now(),
      id,
    );
  }

  #putFile(
    known: FileRow | undefined,
    { path, size, mtimeMs }: FileStamp,
    hash: string | null,
    skipped: string | null,
    note: IndexedNote | undefined,
  ): number {
    if (isNote(path)) {
      const skippedBefore = known === undefined || known.skipped === null ? 0 : 1;
      this.#add(known ? 0 : 1, (skipped === null ? 0 : 1) - skippedBefore);
    }
    const values = [
      size,
      Math.floor(mtimeMs),
      this.#now(),
      note?.words ?? 0,
      note?.title ?? nameOf(path),
      hash,
      note?.bodyHash ?? null,
      note?.problem ?? null,
      skipped,
    ];
    // Not INSERT OR REPLACE: that opens a savepoint, at which FTS5 writes out all it holds.
    if (known !== undefined) {
      this.#sql.run(
        `UPDATE files SET size = ?, mtime_ms = ?, indexed_ms = ?, words = ?, title = ?, hash = ?,
          body_hash = ?, problem = ?, skipped = ? WHERE id = ?`,
        ...values,
        known.id,
      );
      return known.id;
    }
    return this.#sql.run(
      `INSERT INTO files (path, kind, depth, size, mtime_ms, indexed_ms, words, title, hash,
        body_hash, problem, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      path,
      isNote(path) ? 'note' : 'attachment',
      path.split('/').length - 1,
      ...values,
    );
  }

  /** Only names that came or went concern the links of others. */
  #putNames(id: number, known: boolean, names: readonly FileName[]): void {
    const before = known
      ? this.#sql.all<FileName>('SELECT key, via FROM names WHERE file = ?', id)
      : [];
    const text = (name: FileName) => `${name.via}${name.key}`;
    const old = new Set(before.map(text));
    const now = new Set(names.map(text));
    for (const name of before) {
      if (now.has(text(name))) continue;
      this.#sql.run(
        'DELETE FROM names WHERE key = ? AND file = ? AND via = ?',
        name.key,
        id,
        name.via,
      );
      this.#links.nameChanged(name.key);
    }
    for (const name of names) {
      if (old.has(text(name))) continue;
      this.#sql.run('INSERT INTO names (key, file, via) VALUES (?, ?, ?)', name.key, id, name.via);
      this.#links.nameChanged(name.key);
    }
  }

  #clear(id: number): void {
    const first = id * SECTIONS_PER_NOTE;
    const last = first + SECTIONS_PER_NOTE - 1;
    for (const { id: section } of this.#sql.all<{ id: number }>(
      'SELECT id FROM sections WHERE id BETWEEN ? AND ?',
      first,
      last,
    )) {
      this.#sql.run('DELETE FROM sections_fts WHERE rowid = ?', section);
    }
    this.#sql.run('DELETE FROM titles_fts WHERE rowid = ?', id);
    this.#sql.run('DELETE FROM sections WHERE id BETWEEN ? AND ?', first, last);
    this.#sql.run('DELETE FROM links WHERE source = ?', id);
    this.#sql.run('DELETE FROM tags WHERE file = ?', id);
    this.#sql.run('DELETE FROM tasks WHERE file = ?', id);
    this.#sql.run('DELETE FROM properties WHERE file = ?', id);
  }

  #putNote(id: number, name: string, note: IndexedNote): void {
    const sql = this.#sql;
    const title = searchableText(name === note.title ? name : `${note.title}\n${name}`);
    const names = [note.title, ...note.names.map(({ key }) => key)].join('\n');
    sql.run('INSERT INTO titles_fts (rowid, names) VALUES (?, ?)', id, searchableText(names));
    for (const [place, { line, headingPath, bodyStart, text }] of note.sections.entries()) {
      const section = id * SECTIONS_PER_NOTE + place;
      const path = headingPath.length === 0 ? '[]' : JSON.stringify(headingPath);
      sql.run('INSERT INTO sections VALUES (?, ?, ?, ?, ?)', section, line, path, bodyStart, text);
      sql.run(
        'INSERT INTO sections_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)',
        section,
        title,
        searchableText(headingPath.join('\n')),
        searchableText(bodyStart === 0 ? text : text.slice(bodyStart)),
      );
    }
    for (const [place, { kind, target, anchor, line, key }] of note.links.entries()) {
      sql.run(
        `INSERT INTO links (source, place, line, kind, target, anchor, key, destination)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        place,
        line,
        kind,
        target,
        anchor,
        key,
        key === '' ? id : null,
      );
    }
    if (note.links.length > 0) this.#links.noteChanged(id);
    for (const [key, name] of note.tags)
      sql.run('INSERT INTO tags VALUES (?, ?, ?)', id, key, name);
    for (const [line, { done, text, due }] of note.tasks) {
      sql.run('INSERT INTO tasks VALUES (?, ?, ?, ?, ?)', id, line, done ? 1 : 0, text, due);
    }
    for (const { key, place, text, number } of note.properties) {
      sql.run('INSERT INTO properties VALUES (?, ?, ?, ?, ?)', id, key, place, text, number);
    }
  }
}

function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isNote(name) ? name.slice(0, -3) : name;
}
