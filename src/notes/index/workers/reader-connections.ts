/**
 * The connections of a read thread. A rebuild replaces the file of an index, and an old connection
 * would keep answering from the removed file, so each request checks that its connection is to the
 * current file.
 */
import { type FileIdentity, identityOf, isSameFile } from '../store/file-identity.ts';
import { IndexError } from '../store/index-error.ts';
import { DamagedIndex, openForReading } from '../store/schema.ts';
import { Sql } from '../store/sql.ts';
import { addFunctions } from '../store/sql-functions.ts';

interface Connection {
  readonly sql: Sql;
  readonly identity: FileIdentity;
}

/** How long to wait for a file that is being replaced. */
const MAX_ATTEMPTS = 100;
const PAUSE_MS = 20;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

const connections = new Map<string, Connection>();
/** Files that could not be opened in time; the next request does not wait. */
const failing = new Set<string>();

/** A connection to the current index at `file`; without a file, the previous connection. */
export function connectionTo(file: string, pause: () => void = pauseThread): Sql {
  const known = connections.get(file);
  const identity = identityOf(file);
  if (known && (identity === undefined || isSameFile(known.identity, identity))) return known.sql;
  known?.sql.close();
  connections.delete(file);
  const connection = openInTime(file, pause);
  connections.set(file, connection);
  return connection.sql;
}

export function closeConnection(file: string): void {
  connections.get(file)?.sql.close();
  connections.delete(file);
  failing.delete(file);
}

function openInTime(file: string, pause: () => void): Connection {
  const maxAttempts = failing.has(file) ? 1 : MAX_ATTEMPTS;
  failing.add(file);
  for (let attempt = 1; ; attempt++) {
    try {
      const connection = open(file);
      failing.delete(file);
      return connection;
    } catch (error) {
      // The file is not being replaced: `DamagedIndex` triggers a rebuild.
      if (attempt === maxAttempts && !identityOf(file))
        throw new DamagedIndex('the index file is missing');
      if (attempt === maxAttempts) throw error;
    }
    pause();
  }
}

function pauseThread(): void {
  Atomics.wait(NEVER, 0, 0, PAUSE_MS);
}

/**
 * SQLite opens the WAL at the first read. If the file is still the same after that read, the WAL
 * belongs to it and not to a file that replaced it.
 */
function open(file: string): Connection {
  const identity = identityOf(file);
  const sql = new Sql(openForReading(file));
  try {
    const row = sql.get<{ user_version: number }>('PRAGMA user_version');
    if (identity && isSameFile(identity, identityOf(file)) && row && row.user_version > 0) {
      addFunctions(sql.database);
      return { sql, identity };
    }
  } catch (error) {
    sql.close();
    throw error;
  }
  sql.close();
  throw new IndexError('index_building', 'the index is being rebuilt; try again in a moment');
}
