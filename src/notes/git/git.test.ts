/** One commit for each change, also when git fails for a while or was off. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMIT_ID, gitVault, write } from '../../../test/support/notes/git-vault.ts';
import {
  at,
  get,
  put,
  recordingLog,
  temporaryDirectory,
  until,
} from '../../../test/support/notes/notes-storage.ts';
import { Vault } from '../vaults/vault.ts';

test('every change has exactly one commit that names the tool and the note', async (t) => {
  const { vault, git } = await gitVault(t, { files: { 'a.md': 'a', 'b.md': 'b' } });
  const ids = [
    await write(vault, 'a.md', 'a2'),
    await write(vault, 'folder/new note.md', 'new'),
    (
      await vault.changes.run({ tool: 'note_move', scope: 'vault' }, async (tx) => {
        await tx.move(at('b.md'), at('folder/b.md'));
        await tx.write(at('a.md'), Buffer.from('a3 [[folder/b]]'));
      })
    ).changeId!,
    (
      await vault.changes.run({ tool: 'note_delete', scope: 'vault' }, (tx) =>
        tx.remove(at('a.md')),
      )
    ).changeId!,
  ];
  await vault.git!.settled();
  assert.deepEqual(git('log', '--reverse', '--format=%s').trim().split('\n'), [
    'notes: history begins',
    'note_edit: a.md',
    'note_edit: folder/new note.md',
    'note_move: folder/b.md and 2 more',
    'note_delete: a.md',
  ]);
  assert.match(git('log', '-1', '--format=%an <%ae>'), /^Ada <ada@localhost>$/m);
  for (const id of ids) {
    const commit = vault.git!.commitOf(id);
    assert.match(commit!, COMMIT_ID);
    assert.equal(await vault.history.commitOf(id), commit);
  }
  assert.equal(git('status', '--porcelain'), '');
  git('fsck', '--strict');
  assert.deepEqual(git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n'), [
    'folder/b.md',
    'folder/new note.md',
  ]);
});

test('what a note held before the first change is in the history, however soon that comes', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'a.md', 'first\n');
  const git = { author: { name: 'Ada', email: 'ada@localhost' } };
  const { log } = recordingLog();
  const vault = await Vault.open({ name: 'v', root, difference: () => '', git, log });
  t.after(() => vault.close());
  await write(vault, 'a.md', 'second\n');
  await vault.git!.settled();
  const [, begin] = await vault.history.revisions({ limit: 5 });
  const before = await vault.history.noteAt(at('a.md'), begin!.commit);
  assert.equal(before.toString(), 'first\n');
});

test('200 parallel changes are 200 commits in the order of each note, and the work tree is clean', async (t) => {
  const { vault, git } = await gitVault(t);
  await Promise.all(Array.from({ length: 200 }, (_, i) => write(vault, `n${i % 20}.md`, `${i}\n`)));
  await vault.git!.settled();
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '201');
  assert.equal(
    git('log', '--format=%(trailers:key=Notes-Change,valueonly,separator=)')
      .split('\n')
      .filter((id) => id).length,
    200,
  );
  assert.equal(
    git('log', '--diff-filter=M', '--format=', '--name-only').trim().split('\n').length,
    180,
  );
  assert.equal(git('status', '--porcelain'), '');
});

test('a locked index holds no commit up, and a stale lock is removed', async (t) => {
  const { vault, root, git, lines } = await gitVault(t, { files: { 'a.md': 'a' } });
  const lock = join(root, '.git/index.lock');
  await writeFile(lock, '');
  const id = await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.match(vault.git!.commitOf(id)!, COMMIT_ID);
  assert.match(vault.git!.state().lastError!, /index\.lock/);
  await stat(lock);
  const old = new Date(Date.now() - 120_000);
  await utimes(lock, old, old);
  await until(() => vault.git!.state().lastError === null);
  await assert.rejects(stat(lock), { code: 'ENOENT' });
  assert.equal(git('status', '--porcelain'), '');
  assert.match(lines.join(''), /git_lock_removed/);
});

test('a stale lock of the branch is removed and the commit follows', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'a.md': 'a' } });
  const lock = join(root, '.git/refs/heads/main.lock');
  await writeFile(lock, '');
  const old = new Date(Date.now() - 120_000);
  await utimes(lock, old, old);
  const id = await write(vault, 'a.md', 'a2');
  await until(() => vault.git!.commitOf(id) !== null);
  await vault.git!.settled();
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '2');
  assert.equal(git('status', '--porcelain'), '');
});

test('git that cannot commit fails no write, says so, and catches up', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'a.md': 'a' } });
  await rename(join(root, '.git/HEAD'), join(root, '.git/HEAD.away'));
  const ids = [await write(vault, 'a.md', 'a2'), await write(vault, 'b.md', 'b')];
  await vault.git!.settled();
  assert.equal(await get(root, 'a.md'), 'a2');
  assert.ok(vault.git!.state().lastError);
  assert.equal(vault.git!.state().pending, 2);
  await rename(join(root, '.git/HEAD.away'), join(root, '.git/HEAD'));
  await until(() => vault.git!.state().pending === 0);
  await vault.git!.settled();
  assert.ok(ids.every((id) => COMMIT_ID.test(vault.git!.commitOf(id)!)));
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '3');
});

test('a history that is removed while the server runs begins anew', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'a.md': 'a' } });
  await rm(join(root, '.git'), { recursive: true });
  const id = await write(vault, 'b.md', 'b');
  await until(() => vault.git!.commitOf(id) !== null);
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'note_edit: b.md',
    'notes: history begins',
  ]);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(vault.git!.state().lastError, null);
  assert.equal(vault.git!.state().head, git('rev-parse', 'HEAD').trim());
});

test('with git off the history is versioning_off and changes still work', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  const { log } = recordingLog();
  const vault = await Vault.open({ name: 'vault', root, difference: () => '', log });
  t.after(() => vault.close());
  await write(vault, 'a.md', 'a');
  assert.throws(() => vault.history, { code: 'versioning_off' });
  await assert.rejects(stat(join(root, '.git')), { code: 'ENOENT' });
});

test('changes made while git was off are not committed afterwards', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  const { log } = recordingLog();
  const off = await Vault.open({ name: 'vault', root, difference: () => '', log });
  await write(off, 'a.md', 'a');
  await off.close();
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'note_edit: a.md',
    'notes: history begins',
  ]);
  await rm(root, { recursive: true });
});

test('what servers that ran for a short time have left is packed, too', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  const first = await gitVault(t, { root, files: { 'a.md': 'a' } });
  first.git('config', 'gc.auto', '1');
  first.git('config', 'gc.autoPackLimit', '1');
  await first.vault.close();
  for (let i = 0; i < 300; i++) {
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: root, input: `${i}` });
  }
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a2');
  await until(() => /^in-pack: [1-9]/m.test(git('count-objects', '-v')));
});

test('a vault that closes does not wait for the repository to be packed', async (t) => {
  const programs = await temporaryDirectory(t);
  const begun = join(programs, 'gc-begun');
  const { PATH } = process.env;
  const slow = `#!/bin/sh
    case " $* " in *" gc "*) touch ${begun}; while test -e ${begun}; do sleep 0.1; done;; esac
    PATH="${PATH}" exec git "$@"
  `;
  await writeFile(join(programs, 'git'), slow, { mode: 0o755 });
  process.env.PATH = `${programs}:${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
  });
  const { vault, lines } = await gitVault(t);
  for (let i = 0; i < 1000; i++) {
    const files = [{ path: at('a.md'), after: Buffer.from(`${i}`) }];
    vault.git!.commit({ changeId: `1-${i}-00000000`, tool: 'x', files, gone: [] });
  }
  await until(() => existsSync(begun));
  await vault.close();
  assert.doesNotMatch(lines.join(''), /git_gc_failed/);
});
