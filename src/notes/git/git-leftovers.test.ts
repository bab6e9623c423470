import assert from 'node:assert/strict';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { put } from '../../../test/support/notes/notes-storage.ts';
import { cleanUpAfterFailure } from './git-leftovers.ts';
import { GitFailure, GitProcess } from './git-process.ts';

const packs = '.git/objects/pack';
const isLeft = (name: string) => /^(fast_import_crash|tmp_)/.test(name);

async function leftIn(root: string): Promise<string[]> {
  const folders = [join(root, '.git'), join(root, packs)];
  const names = await Promise.all(folders.map((folder) => readdir(folder)));
  return names.flat().filter(isLeft);
}

test('what a failed import leaves goes, but nothing older and nothing that is open', async (t) => {
  const { root } = await gitVault(t, { files: { 'a.md': 'a' } });
  await put(root, `${packs}/tmp_pack_ours`, 'x');
  const theirs = await open(join(root, packs, 'tmp_pack_theirs'), 'w');
  t.after(() => theirs.close());
  const git = new GitProcess(root);
  const begun = Date.now();
  const input = Buffer.from('commit refs/x\n');
  await assert.rejects(git.run(['fast-import', '--quiet', '--done'], { input }), GitFailure);
  const left = await leftIn(root);
  assert.match(left.join(' '), /^fast_import_crash_\d+ tmp_pack_/);
  await cleanUpAfterFailure(git, root, begun + 60_000, begun);
  assert.deepEqual(await leftIn(root), left);
  await cleanUpAfterFailure(git, root, begun, begun);
  assert.deepEqual(await leftIn(root), ['tmp_pack_theirs']);
});

test('a commit that fails leaves nothing behind', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'deep/a.md': 'a' } });
  const tree = git('rev-parse', 'HEAD^{tree}').trim();
  await rm(join(root, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  await write(vault, 'deep/a.md', 'a2');
  await vault.git!.settled();
  assert.match(vault.git!.state().lastError!, /crash report/);
  assert.deepEqual(await leftIn(root), []);
});
