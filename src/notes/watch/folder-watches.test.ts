import assert from 'node:assert/strict';
import { lstat, mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { put, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import { FolderWatches, watchFolder } from './folder-watches.ts';

async function watchedFolders(t: TestContext) {
  const root = await temporaryDirectory(t);
  await mkdir(join(root, 'a/b'), { recursive: true });
  await mkdir(join(root, 'c'));
  await put(root, 'a/x.md', 'x');
  const failing = new Map<string, (error: Error) => void>();
  const folders = new FolderWatches(
    root,
    (directory, _changed, failed) => {
      const folder = relative(root, directory);
      failing.set(folder, failed);
      return { close: () => failing.delete(folder) };
    },
    () => {},
  );
  await folders.add('');
  return { folders, failing };
}

test('a folder that is gone takes the watches below it along, a file none', async (t) => {
  const { folders, failing } = await watchedFolders(t);
  assert.deepEqual([...failing.keys()].sort(), ['', 'a', 'a/b', 'c']);
  assert.equal(folders.remove('a/x.md'), false);
  assert.equal(folders.count, 4);
  assert.equal(folders.remove('a'), true);
  assert.deepEqual([...failing.keys()].sort(), ['', 'c']);
});

test('so does a folder whose own watch was lost', async (t) => {
  const { folders, failing } = await watchedFolders(t);
  failing.get('a')!(new Error('no more watches'));
  assert.deepEqual([...failing.keys()].sort(), ['', 'a/b', 'c']);
  assert.equal(folders.remove('a'), true);
  assert.deepEqual([...failing.keys()].sort(), ['', 'c']);
});

test('a watch that is refused tells of no change, one that is lost later does', async (t) => {
  const root = await temporaryDirectory(t);
  await mkdir(join(root, 'refused'));
  await mkdir(join(root, 'lost'));
  const failing = new Map<string, (error: Error) => void>();
  const told: string[] = [];
  const folders = new FolderWatches(
    root,
    (directory, _changed, failed) => {
      const folder = relative(root, directory);
      if (folder === 'refused') throw new Error('no more watches');
      failing.set(folder, failed);
      return { close: () => {} };
    },
    (path) => told.push(path),
  );
  await folders.add('');
  assert.equal(folders.refusal, 'no more watches');
  assert.deepEqual(told, []);
  failing.get('lost')!(new Error('gone'));
  assert.deepEqual(told, ['lost']);
});

test('a folder made anew with the number of the one that was there is another folder', async (t) => {
  const root = await temporaryDirectory(t);
  await mkdir(join(root, 'd'));
  const watches = new FolderWatches(root, watchFolder, () => {});
  t.after(() => watches.close());
  await watches.add('');
  const { ino, birthtimeNs } = await lstat(join(root, 'd'), { bigint: true });
  assert.ok(watches.has('d', { ino, birthtimeNs }));
  assert.ok(!watches.has('d', { ino, birthtimeNs: birthtimeNs + 1n }));
});
