/** One file at a time into the index and out of it. */
import { isNote } from '../../files/vault-path.ts';
import { fileTitle, type IndexedNote } from '../content/indexed-note.ts';
import { type FileName, fileNames } from '../content/link-names.ts';
import { putRows, replaceRows } from '../content/note-rows.ts';
import {
  type FileStamp,
  type FoundFile,
  hashOf,
  type PreparedFile,
  prepareFile,
} from '../content/prepared-file.ts';
import type { Sql } from '../store/sql.ts';
import { LinkResolver } from './link-resolver.ts';

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
    if (this.#holds(row, file, hash)) return false;
    this.#put(prepareFile(file, hash), row);
    return true;
  }

  /** The same for a file that another thread has prepared. */
  put(file: PreparedFile): boolean {
    const row = this.#row(file.stamp.path);
    if (this.#holds(row, file.stamp, file.hash)) return false;
    this.#put(file, row);
    return true;
  }

  remove(path: string): boolean {
    const row = this.#row(path);
    if (!row) return false;
    this.#putNames(row.id, true, []);
    replaceRows(this.#sql, row.id);
    this.#links.clear(row.id);
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

  /** SQLite may have rolled back already, for want of disk space. */
  rollback(): void {
    this.#links.forget();
    if (this.#sql.database.isTransaction) this.#sql.exec('ROLLBACK');
    this.#counts = this.#count();
  }

  #put({ stamp, hash, skipped, note, links = [] }: PreparedFile, row?: FileRow): void {
    const id = this.#putFile(row, stamp, hash, skipped, note);
    this.#putNames(id, row !== undefined, note?.names ?? fileNames(stamp.path, { aliases: [] }));
    if (row) replaceRows(this.#sql, id, note);
    else if (note) putRows(this.#sql, id, note);
    this.#links.written(id, stamp.path, note?.links ?? links, row === undefined);
  }

  /** Of a file with the bytes that are indexed only the stamp is written. */
  #holds(row: FileRow | undefined, stamp: FileStamp, hash: string | null): boolean {
    if (row?.hash !== hash || hash === null) return false;
    this.#touch(row.id, stamp);
    return true;
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
      note?.title ?? fileTitle(path),
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
    // That its links lead somewhere is a guess, which is set right when they are resolved.
    const linked = note && note.links.length > 0 ? 1 : 0;
    return this.#sql.insert(
      `INSERT INTO files (path, kind, depth, linked, size, mtime_ms, indexed_ms, words, title, hash,
        body_hash, problem, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      path,
      isNote(path) ? 'note' : 'attachment',
      path.split('/').length - 1,
      linked,
      ...values,
    );
  }

  /** Only names that came or went concern the links of others. */
  #putNames(id: number, known: boolean, names: readonly FileName[]): void {
    const before = known
      ? this.#sql.all<FileName>('SELECT key, via, whole FROM names WHERE file = ?', id)
      : [];
    const text = (name: FileName) => `${name.via}${name.key}/${name.whole}`;
    const old = new Set(before.map(text));
    const now = new Set(names.map(text));
    for (const name of before) {
      if (now.has(text(name))) continue;
      this.#sql.run(
        'DELETE FROM names WHERE key = ? AND file = ? AND via = ? AND whole = ?',
        name.key,
        id,
        name.via,
        name.whole,
      );
      this.#links.nameChanged(name.key);
    }
    for (const name of names) {
      if (old.has(text(name))) continue;
      this.#sql.run('INSERT INTO names VALUES (?, ?, ?, ?)', name.key, id, name.via, name.whole);
      this.#links.nameChanged(name.key);
    }
  }
}
