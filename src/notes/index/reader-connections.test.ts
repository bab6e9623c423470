import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../../test/support/notes-storage.ts';
import { openIndex } from './open-index.ts';
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
