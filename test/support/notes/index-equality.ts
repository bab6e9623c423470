/** Whether the index that a server keeps of a vault is what a rebuild from nothing would give. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { VaultIndexer } from '../../../src/notes/index/build/vault-indexer.ts';
import { dumpIndexFile, dumpVaultIndex, type IndexDump } from './index-dump.ts';
import { until } from './notes-storage.ts';

/** The index as the server, which may be running, has it on disk. */
function keptIndex(root: string): IndexDump {
  return plain(dumpVaultIndex(root));
}

async function freshIndex(root: string): Promise<IndexDump> {
  const folder = await mkdtemp(join(tmpdir(), 'notes-fresh-'));
  const file = join(folder, 'index.db');
  const indexer = new VaultIndexer(root, file, Date.now);
  try {
    await indexer.build(() => {});
    return plain(dumpIndexFile(file));
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
function plain(dump: IndexDump): IndexDump {
  return structuredClone(dump);
}
