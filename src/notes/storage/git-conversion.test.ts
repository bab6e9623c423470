/** What the owner's attributes say of a note is done to it, or it is not committed at all. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/git-vault.ts';
import { at, put, temporaryDirectory } from '../../../test/support/notes-storage.ts';

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
