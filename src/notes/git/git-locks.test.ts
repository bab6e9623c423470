/** Of the locks in a repository only those are removed that nobody holds any more. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { put, temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';

const LONG_AGO = new Date(Date.now() - 120_000);

test('the lock of a git that still runs stays, however long that takes', async (t) => {
  const folder = await temporaryDirectory(t);
  const { vault, root, git, lines } = await gitVault(t, { files: { 'a.md': 'a' } });
  const wait = `while test -d ${folder} && ! test -e ${folder}/go; do sleep 0.1; done`;
  git('config', 'filter.slow.clean', `${wait}; cat`);
  await put(root, '.git/info/attributes', '*.iso filter=slow\n');
  await put(root, 'his.iso', 'x');
  const add = spawn('git', ['add', 'his.iso'], { cwd: root, stdio: 'ignore' });
  const ended = once(add, 'exit');
  const lock = join(root, '.git/index.lock');
  await until(() => existsSync(lock));
  await utimes(lock, LONG_AGO, LONG_AGO);
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.match(vault.git!.state().lastError!, /index\.lock/);
  await stat(lock);
  await writeFile(join(folder, 'go'), '');
  assert.deepEqual(await ended, [0, null]);
  await until(() => vault.git!.state().lastError === null);
  assert.doesNotMatch(lines.join(''), /git_lock_removed/);
  assert.equal(git('status', '--porcelain').trim(), 'A  his.iso');
});

test('stale locks are found where a linked work tree has them', async (t) => {
  const folder = await temporaryDirectory(t);
  const run = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  run('init', '-q', '-b', 'main');
  run('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-q', '--allow-empty', '-m', 'first');
  run('worktree', 'add', '-q', '-b', 'notes', 'vault');
  const locks = ['.git/worktrees/vault/index.lock', '.git/refs/heads/notes.lock'];
  for (const lock of locks) {
    await put(folder, lock, '');
    await utimes(join(folder, lock), LONG_AGO, LONG_AGO);
  }
  const { vault, git } = await gitVault(t, { root: join(folder, 'vault') });
  const id = await write(vault, 'a.md', 'a');
  await until(() => vault.git!.commitOf(id) !== null);
  await vault.git!.settled();
  assert.equal(git('log', '-1', '--format=%s').trim(), 'note_edit: a.md');
  for (const lock of locks) assert.equal(existsSync(join(folder, lock)), false, lock);
  assert.equal(vault.git!.state().lastError, null);
});
