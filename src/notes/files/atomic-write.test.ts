import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';
import { commitOver } from './atomic-write.ts';
import { Directory } from './directory.ts';
import { stampOf } from './stored-file.ts';

const openFiles = () => readdirSync('/proc/self/fd').length;

test('however many files are replaced at once, few of the old ones are held open, and no longer than needed', async (t) => {
  const root = await temporaryDirectory(t);
  const names = Array.from({ length: 100 }, (_, count) => `${count}.md`);
  for (const name of names) {
    writeFileSync(join(root, name), 'old');
    writeFileSync(join(root, `.${name}`), 'new');
  }
  const directory = Directory.openRoot(root);
  const before = openFiles();
  // Nothing is closed in another thread while all of them are busy.
  const busy = Array.from({ length: 8 }, () => promisify(pbkdf2)('p', 's', 5e4, 32, 'sha256'));
  for (const name of names) {
    const read = stampOf(lstatSync(join(root, name), { bigint: true }));
    assert.ok(commitOver(directory, `.${name}`, name, read));
    assert.equal(readFileSync(join(root, name), 'utf8'), 'new');
  }
  assert.ok(openFiles() - before <= 32, `${openFiles() - before} more are open`);
  await Promise.all(busy);
  await until(() => openFiles() <= before);
  directory.close();
});
