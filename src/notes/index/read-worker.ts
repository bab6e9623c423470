/** The thread that answers questions. It only reads, and keeps nothing that a restart would lose. */
import { readOperations } from './read-operations.ts';
import { openForReading } from './schema.ts';
import { serveRequests } from './serve-requests.ts';
import { Sql } from './sql.ts';
import { addFunctions } from './sql-functions.ts';
import type { IndexPlace } from './worker-protocol.ts';

const connections = new Map<string, Sql>();

type AnyOperation = (sql: Sql, argument: unknown) => unknown;

serveRequests((place, operation, argument) => {
  if (operation === 'close') return close(place);
  const run = readOperations[operation as keyof typeof readOperations] as AnyOperation;
  const sql = connectionTo(place);
  // One snapshot for all the queries of an operation.
  sql.exec('BEGIN');
  try {
    return run(sql, argument);
  } finally {
    sql.exec('COMMIT');
  }
});

function connectionTo({ file }: IndexPlace): Sql {
  let sql = connections.get(file);
  if (!sql) {
    sql = new Sql(openForReading(file));
    addFunctions(sql.database);
    connections.set(file, sql);
  }
  return sql;
}

function close({ file }: IndexPlace): void {
  connections.get(file)?.close();
  connections.delete(file);
}
