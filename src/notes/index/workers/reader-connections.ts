/**
 * The connections of a thread that reads. A rebuild removes the file of an index and puts another
 * in its place; whoever held on to the old one would answer from it for ever, so each question
 * looks whether its connection is to the file that is there.
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

/** How long a file that is just being put in place is waited for. */
const MAX_TRIES = 100;
const PAUSE_MS = 20;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

const connections = new Map<string, Connection>();
/** Those that were waited for in vain. Whoever asks next does not wait: it may take for ever. */
const failing = new Set<string>();

/** A connection to the index that is at `file` now; where there is none, to the last one. */
export function connectionTo(file: string, pause: () => void = waitABit): Sql {
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
  const most = failing.has(file) ? 1 : MAX_TRIES;
  failing.add(file);
  for (let tries = 1; ; tries++) {
    try {
      const connection = open(file);
      failing.delete(file);
      return connection;
    } catch (error) {
      // Nobody is about to put it there; to say so has it built anew.
      if (tries === most && !identityOf(file)) throw new DamagedIndex('the index is not there');
      if (tries === most) throw error;
    }
    pause();
  }
}

function waitABit(): void {
  Atomics.wait(NEVER, 0, 0, PAUSE_MS);
}

/**
 * SQLite opens the log beside the file at the first read. If the file is still the same after
 * that, the log is its own, and not that of a file that took its place meanwhile.
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
  throw new IndexError('index_building', 'the index is being built anew; try again in a moment');
}
