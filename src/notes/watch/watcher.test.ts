import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { put, until } from '../../../test/support/notes/notes-storage.ts';
import { watched } from '../../../test/support/notes/watched-vault.ts';
import { OwnWrites } from '../files/own-writes.ts';
import { stampOf } from '../files/stored-file.ts';
import { type WatchFolder, watchFolder } from './folder-watches.ts';

const HABITS: [string, (root: string) => Promise<void>][] = [
  ['a save in place', (root) => writeFile(join(root, 'a.md'), 'saved')],
  [
    'a save by rename',
    async (root) => {
      await writeFile(join(root, '.a.md.swp'), 'swap');
      await writeFile(join(root, 'a.md~'), 'saved');
      await rename(join(root, 'a.md~'), join(root, 'a.md'));
      await rm(join(root, '.a.md.swp'));
    },
  ],
  [
    'a save that moves the old file away first',
    async (root) => {
      await rename(join(root, 'a.md'), join(root, 'a.md.bak'));
      await writeFile(join(root, 'a.md'), 'saved');
      await rm(join(root, 'a.md.bak'));
    },
  ],
  ['a removal', (root) => rm(join(root, 'a.md'))],
  ['a rename', (root) => rename(join(root, 'a.md'), join(root, 'b.md'))],
  ['a folder moved within', (root) => rename(join(root, 'deep'), join(root, 'other'))],
  ['a folder moved out', (root) => rename(join(root, 'deep'), join(root, '../outside'))],
  ['a folder removed', (root) => rm(join(root, 'deep'), { recursive: true })],
  [
    'a tree moved in',
    async (root) => {
      await put(`${root}/../new`, 'x/y/z.md', 'z');
      await put(`${root}/../new`, 'top.md', 'top');
      await rename(join(root, '../new'), join(root, 'in'));
    },
  ],
  [
    'one tree replaced by another',
    async (root) => {
      await put(`${root}/../new`, 'c/d.md', 'another d');
      await rename(join(root, 'deep'), join(root, '../old'));
      await rename(join(root, '../new'), join(root, 'deep'));
    },
  ],
  ['folders made at once', (root) => put(root, 'p/q/r/s/t.md', 't')],
  [
    'a copy with rsync-like temporary names',
    async (root) => {
      await writeFile(join(root, '.a.md.Xy12Zq'), 'copied');
      await rename(join(root, '.a.md.Xy12Zq'), join(root, 'a.md'));
    },
  ],
];
for (const [habit, act] of HABITS) {
  test(`${habit} reaches the index without a sweep`, async (t) => {
    const files = { 'a.md': 'a', 'deep/b/c.md': 'c', 'deep/c/d.md': 'd', 'stays.md': 's' };
    const { root, mirror, watcher } = await watched(t, files);
    await act(root);
    await until(() => mirror.equalsDisk());
    assert.equal(watcher.state().mode, 'events');
    assert.ok(!mirror.calls.includes('sweep'));
    assert.ok(!mirror.calls.some((call) => call.includes('stays')));
  });
}

test('later edits deep inside a tree that was moved in are noticed', async (t) => {
  const { root, mirror } = await watched(t, { 'a.md': 'a' });
  await put(`${root}/../new`, 'x/y/z.md', 'z');
  await rename(join(root, '../new'), join(root, 'in'));
  await until(() => mirror.equalsDisk());
  for (const content of ['one', 'two']) {
    await put(root, 'in/x/y/z.md', content);
    await put(root, `in/x/y/${content}.md`, content);
    await until(() => mirror.equalsDisk());
  }
  assert.ok(!mirror.calls.includes('sweep'));
});

test('a checkout of 2,000 files there and back leaves the index equal to the disk', async (t) => {
  const { root, mirror } = await watched(t, { 'a.md': 'a' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  git('init', '-q', '-b', 'one');
  git('config', 'user.name', 'x');
  git('config', 'user.email', 'x');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('checkout', '-qb', 'two');
  for (let i = 0; i < 2000; i++) await put(root, `d${i % 40}/e${i % 7}/n${i}.md`, `${i}`);
  git('add', '.');
  git('commit', '-qm', 'two');
  await until(() => mirror.equalsDisk());
  git('checkout', '-q', 'one');
  await until(() => mirror.equalsDisk());
  git('checkout', '-q', 'two');
  await until(() => mirror.equalsDisk());
  assert.equal(mirror.contents.size, 2001);
});

test('a burst is answered by one sweep, and folders that came or went with it are known', async (t) => {
  const { root, mirror, watcher } = await watched(t, { 'a.md': 'a', 'old/b.md': 'b' });
  for (let i = 0; i < 2000; i++) writeFileSync(join(root, `${i}.md`), `${i}`);
  renameSync(join(root, 'old'), join(root, 'new'));
  mkdirSync(join(root, 'new/deep'));
  await until(() => mirror.equalsDisk());
  assert.deepEqual(mirror.calls, ['sweep']);
  assert.equal(watcher.state().folders, 3);
  for (const path of ['new/c.md', 'new/deep/d.md']) {
    await put(root, path, path);
    await until(() => mirror.equalsDisk());
  }
  assert.deepEqual(mirror.calls, ['sweep', 'changed new/c.md', 'changed new/deep/d.md']);
});

test('a version of ours that others replaced in a burst is noticed when they bring it back', async (t) => {
  const own = new OwnWrites();
  const { root, mirror } = await watched(t, { 'a.md': 'ours' }, { own });
  own.add('a.md', stampOf(lstatSync(join(root, 'a.md'), { bigint: true })));
  renameSync(join(root, 'a.md'), join(root, '../kept.md'));
  for (let i = 0; i < 1000; i++) writeFileSync(join(root, `${i}.md`), `${i}`);
  writeFileSync(join(root, 'a.md'), 'theirs');
  await until(() => mirror.equalsDisk());
  renameSync(join(root, '../kept.md'), join(root, 'a.md'));
  await until(() => mirror.equalsDisk());
  assert.equal(mirror.contents.get('a.md'), 'ours');
});

test('hidden files, links and the server’s own folders are not reported', async (t) => {
  const { root, mirror } = await watched(t, { 'a.md': 'a', '.git/x': 'x', '.notes/trash/y': 'y' });
  await put(root, '.git/index', 'x');
  await put(root, '.notes/index.db', 'x');
  await put(root, '.obsidian/workspace.json', 'x');
  await put(root, '.hidden.md', 'x');
  await symlink('/etc', join(root, 'etc'));
  await put(root, 'last.md', 'last');
  await until(() => mirror.contents.has('last.md'));
  assert.deepEqual(
    mirror.calls.filter((call) => !/ (last\.md|etc)$/.test(call)),
    [],
  );
  assert.ok(!mirror.contents.has('etc'));
});

const exhausted = (): never => {
  throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
    code: 'ENOSPC',
  });
};

test('where no watch is to be had the state says why, and sweeps find every change', async (t) => {
  const options = { watchFolder: exhausted, sweepMs: 10 };
  const { root, mirror, watcher, lines } = await watched(t, { 'a.md': 'a' }, options);
  assert.equal(watcher.state().mode, 'sweeps');
  assert.match(watcher.state().reason!, /limit for number of file watchers/);
  assert.match(lines.join(''), /watcher_degraded/);
  await put(root, 'new/n.md', 'n');
  await rm(join(root, 'a.md'));
  await until(() => mirror.equalsDisk());
  await until(() => watcher.state().lastSweep !== null);
});

test('where watches run out, a folder is read once, and then by the sweeps alone', async (t) => {
  let isOut = false;
  let refused = 0;
  const some: WatchFolder = (...args) => {
    if (!isOut) return watchFolder(...args);
    refused++;
    return exhausted();
  };
  const { root, mirror } = await watched(t, { 'a.md': 'a' }, { watchFolder: some });
  isOut = true;
  await put(`${root}/../new`, 'n.md', 'n');
  await rename(join(root, '../new'), join(root, 'new'));
  await until(() => mirror.equalsDisk());
  // Each is reported and handled after the effects of the one before it.
  for (const name of ['one.md', 'two.md', 'three.md']) {
    await put(root, name, name);
    await until(() => mirror.equalsDisk());
  }
  assert.equal(refused, 1);
  assert.deepEqual(
    mirror.calls.filter((call) => call.endsWith('n.md')),
    ['changed new/n.md'],
  );
});

test('when watches run out later the state says so, and sweeps end when there are more', async (t) => {
  let left = 2;
  const some: WatchFolder = (...args) => (left-- > 0 ? watchFolder(...args) : exhausted());
  const options = { watchFolder: some, sweepMs: 10 };
  const { root, mirror, watcher } = await watched(t, { 'a.md': 'a', 'x/b.md': 'b' }, options);
  assert.equal(watcher.state().mode, 'events');
  await put(root, 'new/deep/n.md', 'n');
  await until(() => watcher.state().mode === 'events_and_sweeps');
  await put(root, 'new/deep/n.md', 'n2');
  await until(() => mirror.equalsDisk());
  left = 10;
  await until(() => watcher.state().mode === 'events');
  assert.equal(watcher.state().folders, 4);
  assert.equal(watcher.state().reason, null);
});

test('a vault that is moved away and replaced is watched again at once', async (t) => {
  const { root, mirror, watcher } = await watched(t, { 'a.md': 'a', 'deep/b.md': 'b' });
  await put(`${root}-new`, 'c.md', 'c');
  await put(`${root}-new`, 'deep/d.md', 'd');
  await rename(root, `${root}-old`);
  await rename(`${root}-new`, root);
  await until(() => mirror.equalsDisk());
  await put(root, 'deep/e.md', 'e');
  await until(() => mirror.equalsDisk());
  mirror.calls.length = 0;
  await put(`${root}-old`, 'deep/b.md', 'of nobody here');
  await put(root, 'last.md', 'last');
  await until(() => mirror.contents.has('last.md'));
  assert.deepEqual(new Set(mirror.calls), new Set(['changed last.md']));
  assert.equal(watcher.state().mode, 'events');
  assert.equal(watcher.state().folders, 2);
});

test('a vault that is gone for a while is reported, and watched when it is back', async (t) => {
  const { root, mirror, watcher } = await watched(t, { 'a.md': 'a' });
  await rename(root, `${root}-old`);
  await until(() => watcher.state().reason === 'the vault directory is missing');
  await rename(`${root}-old`, root);
  await until(() => watcher.state().mode === 'events');
  await put(root, 'b.md', 'b');
  await until(() => mirror.equalsDisk());
});

test('without a watch above it, a vault that was replaced is found by a sweep', async (t) => {
  const below: WatchFolder = (directory, ...rest) =>
    directory.endsWith('/vault') ? watchFolder(directory, ...rest) : exhausted();
  const options = { watchFolder: below, sweepMs: 10 };
  const { root, mirror, watcher } = await watched(t, { 'a.md': 'a' }, options);
  await rename(root, `${root}-old`);
  await put(root, 'b.md', 'b');
  await until(() => mirror.equalsDisk());
  await until(() => watcher.state().mode === 'events');
});
