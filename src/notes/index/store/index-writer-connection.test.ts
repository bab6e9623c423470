import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertIndexIsFresh } from '../../../../test/support/notes/index-equality.ts';
import { put, temporaryDirectory } from '../../../../test/support/notes/notes-storage.ts';
import { VaultIndexer } from '../build/vault-indexer.ts';
import { openIndex } from './index-writer-connection.ts';

const silent = () => {};

async function built(t: TestContext) {
  const base = await temporaryDirectory(t);
  const root = join(base, 'vault');
  await put(root, 'a.md', '# A\n\n[[b]]\n');
  mkdirSync(join(root, '.notes'));
  const file = join(root, '.notes/index.db');
  const indexer = new VaultIndexer(root, file, Date.now);
  t.after(() => indexer.close());
  await indexer.build(silent);
  return { base, root, file, indexer };
}

test('a rebuild that failed is made up for by the next build', async (t) => {
  const { root, file, indexer } = await built(t);
  rmSync(file);
  mkdirSync(join(file, 'in-the-way'), { recursive: true });
  await assert.rejects(indexer.rebuild(silent));
  assert.throws(() => indexer.remove('a.md'));
  await assert.rejects(indexer.build(silent));
  await assert.rejects(indexer.rebuild(silent));
  rmdirSync(join(file, 'in-the-way'));
  rmdirSync(file);
  await put(root, 'b.md', '# B\n');
  await indexer.build(silent);
  assert.equal(indexer.counts().indexed, 2);
  await assertIndexIsFresh(root);
});

test('an index that was removed is written anew by the next build', async (t) => {
  const { root, file, indexer } = await built(t);
  rmSync(file);
  await indexer.build(silent);
  assert.ok(existsSync(file));
  await assertIndexIsFresh(root);
});

test('a vault that replaces another has an index of its files', async (t) => {
  const { base, root, indexer } = await built(t);
  cpSync(root, join(base, 'copy'), { recursive: true });
  await put(root, 'later.md', '# Later\n');
  await indexer.build(silent);
  renameSync(root, join(base, 'old'));
  renameSync(join(base, 'copy'), root);
  await put(root, 'b.md', '# B\n');
  await indexer.build(silent);
  await assertIndexIsFresh(root);
});

test('a vault that is not there is not made, and one without an index is given one', async (t) => {
  const { base, root, indexer } = await built(t);
  renameSync(root, join(base, 'old'));
  await assert.rejects(indexer.build(silent));
  assert.ok(!existsSync(root));
  await put(root, 'b.md', '# B\n');
  await indexer.build(silent);
  await assertIndexIsFresh(root);
});

test('a link in the place of its folder is not followed', async (t) => {
  const { base, root, indexer } = await built(t);
  renameSync(root, join(base, 'old'));
  mkdirSync(root);
  mkdirSync(join(base, 'elsewhere'));
  writeFileSync(join(base, 'elsewhere/index.db'), 'not ours');
  symlinkSync(join(base, 'elsewhere'), join(root, '.notes'));
  await assert.rejects(indexer.build(silent), /links are not followed/);
  assert.equal(readFileSync(join(base, 'elsewhere/index.db'), 'utf8'), 'not ours');
});

for (const suffix of ['', '-wal', '-shm', '-journal']) {
  test(`a link at index.db${suffix} is removed, and what it leads to is left alone`, async (t) => {
    const directory = await temporaryDirectory(t);
    await put(directory, 'outside', '');
    const file = join(directory, 'index.db');
    await symlink(join(directory, 'outside'), file + suffix);
    const sql = openIndex(file);
    t.after(() => sql.close());
    assert.ok(!(await lstat(file + suffix).catch(() => undefined))?.isSymbolicLink());
    assert.equal(await readFile(join(directory, 'outside'), 'utf8'), '');
    assert.equal(sql.get<{ files: number }>('SELECT count(*) AS files FROM files')?.files, 0);
  });
}
