/**
 * The index is a cache of the files: a version that cannot be brought forward, a damaged file and
 * a missing one are all the same to us, and are built anew.
 */
import { DatabaseSync } from 'node:sqlite';
import { type Migration, migrations } from './migrations.ts';

/**
 * A section's id is its note's id times `SECTIONS_PER_NOTE` plus its place in the note, so that a
 * hit of the full-text index names its note without a join and a note's sections are one range.
 *
 * FTS5 keeps the ids of deleted sections in hash tables, by their remainder alone, and looks there
 * for every section that a search comes across. With a power of two all of them would fall into a
 * few slots; with this number they spread. A note has at most some 6,000 sections.
 */
export const SECTIONS_PER_NOTE = 6647;

const CACHE_KIB = 8000;
const CONNECTION = `
  PRAGMA busy_timeout = 5000;
  PRAGMA cache_size = -${CACHE_KIB};
  PRAGMA temp_store = MEMORY;
`;

/** What stays of a log that a build made long, once it has been copied into the file. */
const MAX_RESTING_LOG = 4_194_304;

export class DamagedIndex extends Error {}

/** Forgets which versions of the files were indexed, so that the next build reads them all. */
const READ_ALL_AGAIN = 'UPDATE files SET mtime_ms = -1, hash = NULL;';

/** Opens the index for writing and brings it to the newest version. */
export function openForWriting(
  file: string,
  versions: readonly Migration[] = migrations,
): DatabaseSync {
  const database = new DatabaseSync(file);
  try {
    database.exec(CONNECTION);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA journal_size_limit = ${MAX_RESTING_LOG}`);
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > versions.length) throw new DamagedIndex('the index is of a newer version');
    if (version > 0) checkHealth(database);
    bringForward(database, version, versions);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec(CONNECTION);
  return database;
}

/** In one transaction: a reader sees the tables of the newest version, or none. */
function bringForward(
  database: DatabaseSync,
  version: number,
  versions: readonly Migration[],
): void {
  if (version === versions.length) return;
  const steps = versions
    .slice(version)
    .map(({ sql, needsReindexing }) => `${sql}; ${needsReindexing ? READ_ALL_AGAIN : ''}`);
  try {
    database.exec(`BEGIN; ${steps.join('')} PRAGMA user_version = ${versions.length}; COMMIT`);
  } catch (error) {
    // A full or failing disk says nothing about the file, and it stays.
    if (codeOf(error) !== SQL_DOES_NOT_FIT) throw error;
    throw new DamagedIndex('the index cannot be brought to this version', { cause: error });
  }
}

const SQL_DOES_NOT_FIT = 1;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Whether the file is no database, or is no index of ours any longer. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const code = codeOf(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** The primary result code. */
function codeOf(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Reads one row of each table: quick, and enough for a file that was cut or overwritten. */
function checkHealth(database: DatabaseSync): void {
  try {
    readEachTable(database);
  } catch (error) {
    throw new DamagedIndex('the index cannot be read', { cause: error });
  }
}

function readEachTable(database: DatabaseSync): void {
  for (const table of ['files', 'names', 'sections', 'links', 'tags', 'tasks', 'properties']) {
    database.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
  }
  database.prepare(`SELECT rowid FROM sections_fts WHERE sections_fts MATCH '"a"' LIMIT 1`).get();
  database.prepare(`SELECT rowid FROM titles_fts WHERE titles_fts MATCH '"a"' LIMIT 1`).get();
}
