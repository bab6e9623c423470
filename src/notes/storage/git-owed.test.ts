import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import {
  at,
  put,
  recordingLog,
  storageParts,
  temporaryDirectory,
} from '../../../test/support/notes-storage.ts';
import { Vault } from './vault.ts';

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
