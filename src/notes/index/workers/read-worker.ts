/** The thread for read operations. It has no state that a restart would lose. */
import type { Sql } from '../store/sql.ts';
import { serveRequests } from '../threads/serve-requests.ts';
import { readOperations } from './read-operations.ts';
import { closeConnection, connectionTo } from './reader-connections.ts';

type AnyOperation = (sql: Sql, argument: unknown) => unknown;

serveRequests(({ file }, operation, argument) => {
  if (operation === 'close') return closeConnection(file);
  const run = readOperations[operation as keyof typeof readOperations] as AnyOperation;
  const sql = connectionTo(file);
  // One snapshot for all the queries of an operation.
  sql.exec('BEGIN');
  try {
    return run(sql, argument);
  } finally {
    sql.exec('COMMIT');
  }
});
