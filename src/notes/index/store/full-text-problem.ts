import { DatabaseSync } from 'node:sqlite';
import { describeError } from '../../../core/log/log.ts';

/** Why FTS5 queries do not work with the SQLite of this Node; undefined when a test query works. */
export function fullTextProblem(): string | undefined {
  try {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE VIRTUAL TABLE texts USING fts5(text)');
    database.exec("INSERT INTO texts VALUES ('one quince')");
    // Node before 24.7 does not support numbered parameters.
    const search = database.prepare('SELECT rowid FROM texts WHERE texts MATCH ?1 AND ?1 <> ?2');
    const found = search.all('quince', '');
    database.close();
    return found.length === 1 ? undefined : advice('a search found nothing');
  } catch (error) {
    return advice(describeError(error));
  }
}

function advice(reason: string): string {
  return `the SQLite of this Node (${process.version}) cannot search texts with FTS5: ${reason}; use Node 24.7 or later as nodejs.org builds it`;
}
