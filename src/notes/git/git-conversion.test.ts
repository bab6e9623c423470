/** What the owner's attributes say of a note is done to it, or it is not committed at all. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { at, put, temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';
import { commitChanges } from './git-commit.ts';
import { type GitAnswer, type GitCall, GitFailure, GitProcess } from './git-process.ts';

test('a note whose filter is not set up here is never committed as plain text, and named', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, '.gitattributes', 'secret/** filter=crypt\n');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const { vault, git, lines } = await gitVault(t, { root });
  const hidden = await write(vault, 'secret/a.md', 'private\n');
  await write(vault, 'open.md', 'public\n');
  await vault.changes.run({ tool: 'both', scope: 'vault' }, async (tx) => {
    await tx.write(at('open.md'), Buffer.from('public 2\n'));
    await tx.write(at('secret/a.md'), Buffer.from('private 2\n'));
  });
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'both: open.md and 1 more',
    'note_edit: open.md',
  ]);
  assert.equal(git('ls-tree', '-r', '--name-only', 'HEAD').trim(), 'open.md');
  assert.equal(vault.git!.commitOf(hidden), null);
  const { lastError, pending } = vault.git!.state();
  assert.match(lastError!, /"secret\/a\.md".*filter\.crypt\.clean/);
  assert.equal(pending, 0);
  assert.match(lines.join(''), /git_left_out.*secret\/a\.md/);

  git('config', 'filter.crypt.clean', 'tr a-z n-za-m');
  await write(vault, 'secret/a.md', 'private 3\n');
  await vault.git!.settled();
  assert.equal(git('cat-file', 'blob', 'HEAD:secret/a.md'), 'cevingr 3\n');
  assert.equal(vault.git!.state().lastError, null);
});

test('the first commit leaves out what a filter that is not set up would have changed', async (t) => {
  const { vault, git } = await gitVault(t, {
    files: { '.gitattributes': '*.key.md filter=crypt\n', 'a.key.md': 'private', 'b.md': 'b' },
  });
  assert.deepEqual(git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n'), [
    '.gitattributes',
    'b.md',
  ]);
  assert.match(vault.git!.state().lastError!, /"a\.key\.md".*filter\.crypt\.clean/);
});

test('a note that is left out and a push that fails are both told', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, '.gitattributes', 'broken.md filter=broken\n');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const { vault, git } = await gitVault(t, { root, remote: join(root, '../nowhere.git') });
  git('config', 'filter.broken.clean', 'false');
  git('config', 'filter.broken.required', 'true');
  await write(vault, 'good.md', 'good');
  await write(vault, 'broken.md', 'x');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'failing');
  assert.match(vault.git!.state().lastError!, /"broken\.md".*filter.*; .*nowhere\.git/s);
});

test('a note that git will not convert is left out and named, and all others are committed', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, '.gitattributes', 'broken.md filter=broken\n');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const { vault, git } = await gitVault(t, { root });
  for (const [name, value] of [
    ['core.autocrlf', 'input'],
    ['core.safecrlf', 'true'],
    ['filter.broken.clean', 'false'],
    ['filter.broken.required', 'true'],
  ]) {
    git('config', name!, value!);
  }
  await write(vault, 'mixed.md', 'a\r\nb\n');
  await write(vault, 'good.md', 'good\n');
  await vault.git!.settled();
  assert.equal(git('log', '--format=%s').trim(), 'note_edit: good.md');
  const { lastError, pending } = vault.git!.state();
  assert.match(lastError!, /"mixed\.md".*LF/);
  assert.equal(pending, 0);
  await write(vault, 'mixed.md', 'a\nb\n');
  await vault.git!.settled();
  assert.equal(vault.git!.state().lastError, null);
  await write(vault, 'broken.md', 'x\n');
  await write(vault, 'good.md', 'better\n');
  await vault.git!.settled();
  assert.match(vault.git!.state().lastError!, /"broken\.md".*filter/);
  assert.equal(git('show', 'HEAD:good.md'), 'better\n');
  assert.equal(git('ls-tree', '-r', '--name-only', 'HEAD').trim(), 'good.md\nmixed.md');
});

/** Cannot store anything, as on a full disk. */
class FullGit extends GitProcess {
  override ask(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    if (args[0] !== 'hash-object') return super.ask(args, call);
    return Promise.reject(new GitFailure(128, 'unable to write file: No space left on device'));
  }
}

test('a note that the disk has no room for is not left out: its commit comes later', async (t) => {
  const { root, git } = await gitVault(t, { files: { '.gitattributes': '*.md text\n' } });
  const files = [{ path: at('a.md'), after: Buffer.from('a') }];
  const change = { changeId: '1-0-00000000', tool: 'x', files, gone: [] };
  const author = { name: 'Ada', email: 'ada@localhost' };
  await assert.rejects(commitChanges(new FullGit(root), [change], author, Date.now()), /No space/);
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '1');
});

/** Gives a conversion up soon, and tells how often one was asked for. */
class ImpatientGit extends GitProcess {
  conversions = 0;

  override ask(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    if (!args.some((arg) => arg.startsWith('--path='))) return super.ask(args, call);
    this.conversions++;
    return super.ask(args, { ...call, timeoutMs: 500 });
  }
}

test('notes whose filter hangs are left out after one wait, and all others are committed', async (t) => {
  const attributes = 'slow/** filter=slow\nother.md text\n';
  const { root, git } = await gitVault(t, { files: { '.gitattributes': attributes } });
  git('config', 'filter.slow.clean', 'sleep 1000');
  const paths = ['slow/a.md', 'slow/b.md', 'other.md', 'plain.md'].map(at);
  const files = paths.map((path) => ({ path, after: Buffer.from('x\n') }));
  const change = { changeId: '1-0-00000000', tool: 'x', files, gone: [] };
  const author = { name: 'Ada', email: 'ada@localhost' };
  const impatient = new ImpatientGit(root);
  const { leftOut } = await commitChanges(impatient, [change], author, Date.now());
  assert.deepEqual([...leftOut.keys()], ['slow/a.md', 'slow/b.md']);
  assert.match(leftOut.get('slow/b.md')!, /took too long; fix that/);
  assert.equal(impatient.conversions, 2);
  assert.equal(
    git('ls-tree', '-r', '--name-only', 'HEAD').trim(),
    '.gitattributes\nother.md\nplain.md',
  );
});
