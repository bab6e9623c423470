/** Whether the index that a server keeps of a vault is what a rebuild from nothing would give. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { VaultIndexer } from '../../../src/notes/index/build/vault-indexer.ts';
import { dumpIndex } from '../../../src/notes/index/store/index-dump.ts';
import { openForReading } from '../../../src/notes/index/store/schema.ts';
import { Sql } from '../../../src/notes/index/store/sql.ts';
import { until } from './notes-storage.ts';

type Dump = Record<string, unknown[]>;

/** The index as the server, which may be running, has it on disk. */
function keptIndex(root: string): Dump {
  const sql = new Sql(openForReading(join(root, '.notes/index.db')));
  try {
    return plain(dumpIndex(sql));
  } finally {
    sql.close();
  }
}

async function freshIndex(root: string): Promise<Dump> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-fresh-'));
  const indexer = new VaultIndexer(root, join(folder, 'index.db'), Date.now);
  try {
    await indexer.build(() => {});
    return plain(indexer.dump());
  } finally {
    indexer.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export async function assertIndexIsFresh(root: string): Promise<void> {
  assert.deepEqual(keptIndex(root), await freshIndex(root), 'the index is what a rebuild gives');
}

/** For changes made by others: the files stay as they are from here on, and the index follows. */
export async function untilIndexIsFresh(root: string): Promise<void> {
  const fresh = await freshIndex(root);
  try {
    await until(() => isDeepStrictEqual(keptIndex(root), fresh));
  } catch {
    assert.deepEqual(keptIndex(root), fresh, 'the index is what a rebuild gives');
  }
}

/** Rows of SQLite have no prototype, which makes a difference of two hundred lines unreadable. */
function plain(dump: Dump): Dump {
  return structuredClone(dump);
}
