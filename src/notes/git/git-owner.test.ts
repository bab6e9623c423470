/** The repository is its owner’s: what he set up, edits and commits beside the server stays his. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareRemote, COMMIT_ID, gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { at, get, put, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';

test('what others edited, staged or added at other paths never enters our commits', async (t) => {
  const { vault, root, git } = await gitVault(t, {
    files: { 'a.md': 'a', 'theirs.md': 'theirs', 'staged.md': 's' },
  });
  await put(root, 'theirs.md', 'edited');
  await put(root, 'staged.md', 'staged edit');
  await put(root, 'untracked.md', 'untracked');
  git('add', 'staged.md');
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.equal(git('show', '--format=', '--name-only', 'HEAD').trim(), 'a.md');
  assert.deepEqual(git('status', '--porcelain').trimEnd().split('\n'), [
    'M  staged.md',
    ' M theirs.md',
    '?? untracked.md',
  ]);
});

test('an owner’s commit between ours is built upon, and his repository stays his', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, 'a.md', 'a');
  execFileSync(
    'sh',
    [
      '-c',
      'git init -q -b trunk && git add . && git -c user.name=x -c user.email=x commit -qm first && echo more >> .git/info/exclude',
    ],
    { cwd: root },
  );
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'ours');
  await vault.git!.settled();
  await put(root, 'b.md', 'b');
  git('add', 'b.md');
  git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'his');
  await write(vault, 'a.md', 'ours again');
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'note_edit: a.md',
    'his',
    'note_edit: a.md',
    'first',
  ]);
  assert.equal(git('symbolic-ref', 'HEAD').trim(), 'refs/heads/trunk');
  assert.match(await get(root, '.git/info/exclude'), /^more$/m);
  assert.equal(git('status', '--porcelain'), '');
});

test('notes that the owner’s rules ignore are not committed', async (t) => {
  const { vault, git } = await gitVault(t, { files: { '.gitignore': 'private/\n' } });
  const id = await write(vault, 'private/diary.md', 'secret');
  const other = await vault.changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    await tx.create(at('private/b.md'), Buffer.from('secret'));
    await tx.create(at('public.md'), Buffer.from('public'));
  });
  await vault.git!.settled();
  assert.equal(vault.git!.commitOf(id), null);
  assert.match(vault.git!.commitOf(other.changeId!)!, COMMIT_ID);
  assert.equal(git('ls-files').includes('private'), false);
});

test('what a filter of the owner makes of a note is what is committed', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, '.gitattributes', '*.md filter=upper\ncrlf.md text\n');
  execFileSync(
    'sh',
    [
      '-c',
      'git init -q && git config filter.upper.clean "tr a-z A-Z" && git config filter.upper.smudge "tr A-Z a-z"',
    ],
    { cwd: root },
  );
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'plain\n');
  await write(vault, 'crlf.md', 'x\r\n');
  await vault.git!.settled();
  assert.equal(git('cat-file', 'blob', 'HEAD:a.md'), 'PLAIN\n');
  assert.equal(git('cat-file', 'blob', 'HEAD:crlf.md'), 'X\n');
  assert.equal(
    String(await vault.history.fileAt(at('a.md'), git('rev-parse', 'HEAD').trim())),
    'plain\n',
  );
  assert.equal(git('status', '--porcelain', '--', 'a.md', 'crlf.md'), '');
});

test('hooks and monitors never run', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  const remote = await bareRemote(t);
  const trace = join(root, '..', 'ran');
  await put(root, 'a.md', 'a');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const hooks = [
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'pre-push',
    'post-index-change',
    'post-checkout',
    'monitor',
    'pre-auto-gc',
  ];
  for (const hook of hooks) {
    const file = join(root, '.git/hooks', hook);
    await mkdir(join(root, '.git/hooks'), { recursive: true });
    await writeFile(file, `#!/bin/sh\necho ${hook} >> ${trace}\n`);
    await chmod(file, 0o755);
  }
  execFileSync('git', ['config', 'core.fsmonitor', join(root, '.git/hooks/monitor')], {
    cwd: root,
  });
  const { vault } = await gitVault(t, { root, remote: join(remote, 'vault.git') });
  const pushed = vault.git!.pushAttempted();
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  await pushed;
  await vault.history.revisions({ path: at('a.md'), limit: 5 });
  await assert.rejects(stat(trace), { code: 'ENOENT' });
});

test('a .git that is a link is not used', async (t) => {
  const elsewhere = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q'], { cwd: elsewhere });
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  await symlink(join(elsewhere, '.git'), join(root, '.git'));
  const { vault } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  assert.match(vault.git!.state().lastError!, /symbolic link/);
});

test('names that git takes for its own, and a repository without a commit, keep no history from beginning', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  for (const path of ['a.md', 'git~1/x.md', 'deep/GIT~1. /x.md', 'theirs/x.md', 'z.md']) {
    await put(root, path, path);
  }
  execFileSync('git', ['init', '-q'], { cwd: join(root, 'theirs') });
  const { vault, git, lines } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.equal(vault.git!.state().lastError, null);
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '2');
  assert.deepEqual(git('ls-files').trim().split('\n'), ['a.md', 'z.md']);
  assert.match(lines.join(''), /git_left_out.*invalid path/);
  git('clone', '-q', '.', '../clone');
});

test('a change of a note in conflict leaves the merge of the owner unresolved', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'n.md': 'base\n', 'a.md': 'a\n' } });
  const commit = async (content: string) => {
    await put(root, 'n.md', content);
    git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qam', content);
  };
  git('checkout', '-qb', 'side');
  await commit('side\n');
  git('checkout', '-q', 'main');
  await commit('main\n');
  assert.throws(() => git('-c', 'user.name=x', '-c', 'user.email=x', 'merge', 'side'));
  const before = git('ls-files', '-u');
  assert.match(before, /n\.md/);
  await write(vault, 'n.md', `${await get(root, 'n.md')}more\n`);
  await write(vault, 'a.md', 'a2\n');
  await vault.git!.settled();
  assert.equal(git('ls-files', '-u'), before);
  assert.equal(git('status', '--porcelain').trim(), 'UU n.md');
});
