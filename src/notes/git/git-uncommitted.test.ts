import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import {
  at,
  get,
  put,
  recordingLog,
  storageParts,
  temporaryDirectory,
} from '../../../test/support/notes/notes-storage.ts';
import { Vault } from '../vaults/vault.ts';
import { type GitAnswer, type GitCall, GitFailure, GitProcess } from './git-process.ts';
import { uncommittedChanges } from './git-uncommitted.ts';

async function withGit(root: string): Promise<void> {
  const vault = await Vault.open({
    name: 'vault',
    root,
    difference: () => '',
    git: { author: { name: 'n', email: 'n@localhost' } },
    log: recordingLog().log,
  });
  await vault.git!.settled();
  await vault.close();
}

function remove(vault: Vault, path: string) {
  return vault.changes.run({ tool: 'note_delete', scope: 'vault' }, (tx) => tx.remove(at(path)));
}

test('several moves that a crash left without commits get them, each with what it moved', async (context) => {
  const root = await temporaryDirectory(context);
  await put(root, 'box0/a.md', 'a');
  await put(root, 'box0/in/b.md', 'b0');
  await put(root, 'note.md', 'n');
  await withGit(root);
  const { changes } = await storageParts(context, { root, git: true });
  const run = (work: Parameters<typeof changes.run<unknown>>[1]) =>
    changes.run({ tool: 'test', scope: 'vault' }, work);
  await run(async (tx) => {
    await tx.moveFolder(at('box0'), at('box1'));
    await tx.write(at('box1/in/b.md'), Buffer.from('b1'));
    await tx.move(at('note.md'), at('note1.md'));
  });
  await run(async (tx) => {
    await tx.moveFolder(at('box1'), at('deep/box2'));
    await tx.move(at('note1.md'), at('note2.md'));
  });
  await run(async (tx) => {
    await tx.write(at('deep/box2/a.md'), Buffer.from('a3'));
    await tx.moveFolder(at('deep/box2'), at('box3'));
    await tx.remove(at('note2.md'));
  });
  await withGit(root);
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  assert.deepEqual(git('status', '--porcelain'), []);
  const files = (revision: string) =>
    git('ls-tree', '-r', '--name-only', revision).map((path) => [
      path,
      git('show', `${revision}:${path}`)[0],
    ]);
  const visible = (revision: string) => files(revision).filter(([path]) => !path!.startsWith('.'));
  assert.deepEqual(visible('HEAD~2'), [
    ['box1/a.md', 'a'],
    ['box1/in/b.md', 'b1'],
    ['note1.md', 'n'],
  ]);
  assert.deepEqual(visible('HEAD~1'), [
    ['deep/box2/a.md', 'a'],
    ['deep/box2/in/b.md', 'b1'],
    ['note2.md', 'n'],
  ]);
  assert.deepEqual(visible('HEAD'), [
    ['box3/a.md', 'a3'],
    ['box3/in/b.md', 'b1'],
  ]);
});

test('what is committed is found below a commit with an older date, and not committed again', async (context) => {
  const { vault, root, git } = await gitVault(context);
  await write(vault, 'k.md', 'k');
  await vault.git!.settled();
  const mark = await get(root, '.notes/journal/committed');
  await remove(vault, 'k.md');
  await vault.git!.settled();
  await vault.close();
  await put(root, '.notes/journal/committed', mark);
  await put(root, 'his.md', 'his');
  git('add', 'his.md');
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'his'], {
    cwd: root,
    env: { ...process.env, GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' },
  });
  await withGit(root);
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'his',
    'note_delete: k.md',
    'note_edit: k.md',
    'notes: history begins',
  ]);
});

test('a deletion that is owed does not take away what its owner has put there since', async (context) => {
  const root = await temporaryDirectory(context);
  await put(root, 'k.md', 'k');
  await put(root, 'again.md', 'first');
  await put(root, 'box/in.md', 'in');
  await withGit(root);
  const { changes } = await storageParts(context, { root, git: true });
  await changes.run({ tool: 'delete', scope: 'vault' }, async (tx) => {
    await tx.remove(at('k.md'));
    await tx.remove(at('again.md'));
    await tx.move(at('box/in.md'), at('in.md'));
  });
  await changes.run({ tool: 'create', scope: 'vault' }, (tx) =>
    tx.create(at('again.md'), Buffer.from('second')),
  );
  await put(root, 'k.md', 'mine');
  await rm(join(root, 'box'), { recursive: true });
  await put(root, 'box', 'now a file');
  await withGit(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const names = ['--format=', '--name-status', '--no-renames', 'HEAD~1'];
  assert.equal(git('show', ...names), 'D\tagain.md\nD\tbox/in.md\nA\tin.md\n');
  assert.equal(git('show', 'HEAD:k.md'), 'k');
  assert.equal(git('show', 'HEAD:again.md'), 'second');
  assert.equal(git('status', '--porcelain').trim(), 'M k.md\n?? box');
});

/** Knows no option that came after 2.36. */
class OldGit extends GitProcess {
  override ask(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    const unknown = args.find((argument) => argument.startsWith('--since-as-filter'));
    if (unknown === undefined) return super.ask(args, call);
    return Promise.reject(new GitFailure(128, `fatal: unrecognized argument: ${unknown}`));
  }
}

test('an older git finds what is committed, too', async (context) => {
  const { vault, root, git } = await gitVault(context);
  const id = await write(vault, 'k.md', 'k');
  await vault.close();
  const { journal } = await storageParts(context, { root, git: true });
  const start = { segment: 0, offset: 0 };
  const { changes: owed, committed } = await uncommittedChanges(
    new OldGit(root),
    journal,
    root,
    start,
  );
  assert.deepEqual(owed, []);
  assert.equal(committed.get(id), git('rev-parse', 'HEAD').trim());
});

test('the mark is never written through a link', async (context) => {
  const root = join(await temporaryDirectory(context), 'vault');
  const outside = join(root, '../precious.txt');
  await put(root, 'a.md', 'a');
  await put(root, '../precious.txt', 'precious');
  await put(root, '.notes/journal/committed.tmp', '');
  await rm(join(root, '.notes/journal/committed.tmp'));
  await symlink(outside, join(root, '.notes/journal/committed.tmp'));
  const { vault } = await gitVault(context, { root });
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.equal(vault.git!.state().lastError, null);
  assert.equal(await get(root, '../precious.txt'), 'precious');
  assert.match(await get(root, '.notes/journal/committed'), /^\d+ \d+\n$/);
});

test('an owed commit keeps the executable bit, also where the file was changed and moved since', async (context) => {
  const root = await temporaryDirectory(context);
  await put(root, 'run.md', 'x');
  await chmod(join(root, 'run.md'), 0o755);
  await withGit(root);
  const { changes } = await storageParts(context, { root, git: true });
  for (const text of ['y', 'z']) {
    await changes.run({ tool: 'edit', scope: 'vault' }, (tx) =>
      tx.write(at('run.md'), Buffer.from(text)),
    );
  }
  await changes.run({ tool: 'move', scope: 'vault' }, (tx) => tx.move(at('run.md'), at('go.md')));
  await withGit(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const modes = ['HEAD~2:run.md', 'HEAD~1:run.md', 'HEAD:go.md'].map((file) => {
    const [revision, path] = file.split(':') as [string, string];
    return git('ls-tree', revision, path).split(' ')[0];
  });
  assert.deepEqual(modes, ['100755', '100755', '100755']);
  assert.equal(git('status', '--porcelain'), '');
});
