/** Carries the vectors over a rebuild of the index: they cost minutes, or money, to make again. */
import { rmSync } from 'node:fs';
import type { Sql } from './sql.ts';

const TABLES = ['vector_models', 'vectors'];

/** Takes them out; returns what puts them back. What cannot be kept is made anew. */
export function keepVectors(from: Sql, file: string): (to: Sql) => void {
  const kept = `${file}-vectors`;
  rmSync(kept, { force: true });
  const isKept = attempt(
    from,
    kept,
    (table) => `CREATE TABLE kept.${table} AS SELECT * FROM ${table}`,
  );
  return (to) => {
    if (isKept) attempt(to, kept, (table) => `INSERT INTO ${table} SELECT * FROM kept.${table}`);
    rmSync(kept, { force: true });
  };
}

function attempt(sql: Sql, file: string, statement: (table: string) => string): boolean {
  try {
    sql.run('ATTACH ? AS kept', file);
    sql.exec('BEGIN');
    for (const table of TABLES) sql.exec(statement(table));
    sql.exec('COMMIT');
    return true;
  } catch {
    if (sql.database.isTransaction) sql.exec('ROLLBACK');
    return false;
  } finally {
    try {
      sql.exec('DETACH kept');
    } catch {
      // It was not attached.
    }
  }
}
