import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { put, temporaryDirectory, until } from '../../../../test/support/notes/notes-storage.ts';
import { NoteIndex } from '../note-index.ts';
import { openIndex } from '../store/index-writer-connection.ts';
import { IndexWorkers } from './index-workers.ts';
import { closeConnection, connectionTo } from './reader-connections.ts';

const never = () => assert.fail('nothing is to be waited for');

test('an index that cannot be opened is waited for once, and found as soon as it can', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'index.db');
  t.after(() => closeConnection(file));
  await writeFile(file, 'no database at all'.repeat(100));
  let pauses = 0;
  const count = () => {
    pauses++;
  };
  assert.throws(() => connectionTo(file, count), /not a database/);
  assert.ok(pauses > 0);
  assert.throws(() => connectionTo(file, never), /not a database/);
  await rm(file);
  openIndex(file).close();
  connectionTo(file, never);
});

test('an index that is just being put in place is waited for', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'index.db');
  t.after(() => closeConnection(file));
  openIndex(file).close();
  connectionTo(file, never);
  await rm(file);
  await writeFile(file, '');
  openIndex(join(directory, 'next.db')).close();
  const finish = () => renameSync(join(directory, 'next.db'), file);
  connectionTo(file, finish);
});

test('an index that somebody removed is built anew as soon as it is asked', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'a.md', '# Alpha\n');
  const file = join(root, '.notes/index.db');
  const workers = new IndexWorkers();
  t.after(() => workers.close());
  const index = await NoteIndex.open({ root, file, workers });
  t.after(() => index.close());
  await index.build();
  await rm(file);
  await assert.rejects(index.search({ query: 'alpha' }), /being rebuilt; try again/);
  const found = () => index.search({ query: 'alpha' }).then(({ items }) => items.length === 1);
  await until(() => found().catch(() => false));
  assert.equal(index.state().state, 'ready');
});
