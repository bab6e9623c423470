/** No operation of a vault follows a symbolic link, wherever in a path it stands. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  at,
  get,
  put,
  type StorageParts,
  storageParts,
  temporaryDirectory,
} from '../../../test/support/notes/notes-storage.ts';
import type { Transaction } from '../changes/change-types.ts';
import { commitNew, prepare } from './atomic-write.ts';
import { openParent } from './directory.ts';
import { StorageError } from './storage-error.ts';
import { readStoredFile } from './stored-file.ts';
import { listFiles } from './walk.ts';

type Operation = (parts: StorageParts, path: string) => Promise<unknown>;

const bytes = Buffer.from('ours');
const OPERATIONS: Record<string, Operation> = {
  read: ({ root }, path) => readStoredFile(root, path),
  write: (parts, path) => change(parts, (tx) => tx.write(at(path), bytes)),
  create: (parts, path) => change(parts, (tx) => tx.create(at(path), bytes)),
  'move from': (parts, path) => change(parts, (tx) => tx.move(at(path), at('moved.md'))),
  'move to': (parts, path) => change(parts, (tx) => tx.move(at('real.md'), at(path))),
  'move folder from': (parts, path) => change(parts, (tx) => tx.moveFolder(at(path), at('moved'))),
  'move folder to': (parts, path) => change(parts, (tx) => tx.moveFolder(at('folder'), at(path))),
  remove: (parts, path) => change(parts, (tx) => tx.remove(at(path))),
  restore: async (parts, path) => {
    const { value } = await change(parts, (tx) => tx.remove(at('real.md')));
    await change(parts, (tx) => tx.restore(value, at(path)));
  },
};
const PATHS = [
  'file.md',
  'dir/secret.md',
  'dir/new.md',
  'dir/deep/new.md',
  'git/config',
  'trash/x.md',
  'deep/dir/secret.md',
  'loop/x.md',
  'dangling.md',
];

for (const [name, operation] of Object.entries(OPERATIONS)) {
  for (const path of PATHS) {
    test(`${name} ${path} does not follow the link`, async (t) => {
      const parts = await storageParts(t);
      const { root } = parts;
      const outside = await temporaryDirectory(t);
      await put(outside, 'secret.md', 'secret');
      await put(root, 'real.md', 'real');
      await put(root, 'folder/x.md', 'x');
      await put(root, '.git/config', 'config');
      await mkdir(join(root, 'deep'));
      await mkdir(join(root, '.notes/trash'));
      await symlink(join(outside, 'secret.md'), join(root, 'file.md'));
      await symlink(outside, join(root, 'dir'));
      await symlink(outside, join(root, 'deep/dir'));
      await symlink('.git', join(root, 'git'));
      await symlink('.notes/trash', join(root, 'trash'));
      await symlink('loop', join(root, 'loop'));
      await symlink(join(outside, 'made-by-write.md'), join(root, 'dangling.md'));
      await assert.rejects(operation(parts, path), (error) => {
        assert.ok(error instanceof StorageError);
        assert.ok(
          ['path_invalid', 'note_exists', 'note_not_found'].includes(error.code),
          error.code,
        );
        return true;
      });
      assert.deepEqual(await readdir(outside), ['secret.md']);
      assert.equal(await get(outside, 'secret.md'), 'secret');
      assert.deepEqual(await readdir(join(root, '.git')), ['config']);
      assert.equal(await get(root, '.git/config'), 'config');
    });
  }
}

test('a listing leaves links out and says so', async (t) => {
  const { root } = await storageParts(t);
  const outside = await temporaryDirectory(t);
  await put(outside, 'secret.md', 'secret');
  await put(root, 'a.md', 'a');
  await symlink(outside, join(root, 'dir'));
  await symlink(join(outside, 'secret.md'), join(root, 'file.md'));
  assert.deepEqual(
    (await listFiles(root)).map(({ path }) => path),
    ['a.md'],
  );
});

test('a pipe or a folder with the name of a note is refused, and nobody waits', async (t) => {
  const { root } = await storageParts(t);
  await mkdir(join(root, 'folder.md'));
  execFileSync('mkfifo', [join(root, 'pipe.md')]);
  for (const path of ['folder.md', 'pipe.md']) {
    await assert.rejects(readStoredFile(root, path), { code: 'path_invalid' }, path);
  }
});

const SWAPS: [string, (tx: Transaction) => Promise<unknown>][] = [
  ['write', (tx) => tx.write(at('dir/a.md'), bytes)],
  ['create', (tx) => tx.create(at('dir/new.md'), bytes)],
  ['move out', (tx) => tx.move(at('dir/a.md'), at('b.md'))],
  ['move in', (tx) => tx.move(at('real.md'), at('dir/real.md'))],
  ['remove', (tx) => tx.remove(at('dir/a.md'))],
];
for (const [name, work] of SWAPS) {
  test(`${name}: a folder that becomes a link between check and use is not followed`, async (t) => {
    const parts = await storageParts(t);
    const { root } = parts;
    const outside = await temporaryDirectory(t);
    await put(root, 'dir/a.md', 'a');
    await put(root, 'real.md', 'real');
    await link(join(root, 'dir/a.md'), join(outside, 'a.md'));
    const swapped = change(parts, async (tx) => {
      await work(tx);
      await rename(join(root, 'dir'), join(root, 'was'));
      await symlink(outside, join(root, 'dir'));
    });
    await assert.rejects(swapped, { code: 'path_invalid' });
    assert.deepEqual(await readdir(outside), ['a.md']);
    assert.equal(await get(outside, 'a.md'), 'a');
    assert.equal(await get(root, 'real.md'), 'real');
  });
}

test('what is done in an open directory is done there, wherever its name leads by now', async (t) => {
  const { root } = await storageParts(t);
  const outside = await temporaryDirectory(t);
  await put(root, 'dir/a.md', 'a');
  await put(outside, 'a.md', 'outside');
  using directory = openParent(root, 'dir/a.md')!;
  await rename(join(root, 'dir'), join(root, 'was'));
  await symlink(outside, join(root, 'dir'));
  assert.equal(await readFile(directory.at('a.md'), 'utf8'), 'a');
  await prepare(directory, '.new', bytes);
  commitNew(directory, '.new', 'new.md');
  assert.deepEqual(await readdir(outside), ['a.md']);
  assert.deepEqual((await readdir(join(root, 'was'))).sort(), ['a.md', 'new.md']);
});

/** The folder is there for longer than the link, so that some writes come through on any machine. */
const SWAP = `
const { renameSync } = require('node:fs');
const sleep = (most) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * most);
for (;;) {
  renameSync('dir', 'real');
  renameSync('link', 'dir');
  sleep(5);
  renameSync('dir', 'link');
  renameSync('real', 'dir');
  sleep(50);
}`;

test('a folder that is swapped for a link and back all the time never leads outside', async (t) => {
  const parts = await storageParts(t);
  const { root } = parts;
  const outside = await temporaryDirectory(t);
  await put(root, 'dir/a.md', '0');
  await put(outside, 'a.md', 'outside');
  await symlink(outside, join(root, 'link'));
  const swapper = spawn(process.execPath, ['-e', SWAP], { cwd: root, stdio: 'ignore' });
  t.after(() => swapper.kill('SIGKILL'));
  await once(swapper, 'spawn');
  let written = 0;
  for (let round = 0; round < 150 || (written < 20 && round < 100_000); round++) {
    await change(parts, async (tx) => {
      const { bytes } = await tx.read(at('dir/a.md'));
      assert.notEqual(bytes.toString(), 'outside');
      await tx.write(at('dir/a.md'), Buffer.from(`${round}`));
    }).then(
      () => written++,
      (error) => assert.ok(error instanceof StorageError, String(error)),
    );
    await change(parts, (tx) => tx.create(at(`dir/${round}.md`), bytes)).catch(() => {});
  }
  swapper.kill('SIGKILL');
  await once(swapper, 'close');
  assert.deepEqual(await readdir(outside), ['a.md']);
  assert.equal(await readFile(join(outside, 'a.md'), 'utf8'), 'outside');
  assert.ok(written > 0);
});

test('a vault that is itself a link is not opened', async (t) => {
  const outside = await temporaryDirectory(t);
  const data = await temporaryDirectory(t);
  await writeFile(join(outside, 'a.md'), 'a');
  await symlink(outside, join(data, 'vault'));
  await assert.rejects(readStoredFile(join(data, 'vault'), 'a.md'), { code: 'path_invalid' });
});

function change<T>({ changes }: StorageParts, work: (tx: Transaction) => Promise<T>) {
  return changes.run({ tool: 'test', scope: 'vault' }, work);
}
