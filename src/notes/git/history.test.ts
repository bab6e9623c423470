/** Revisions and differences of notes, whatever a note or a revision is called. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { at, temporaryDirectory, tree } from '../../../test/support/notes/notes-storage.ts';

const ODD = [
  '-x.md',
  '*.md',
  ':(glob)a.md',
  ':!b.md',
  '--output=x.md',
  'a"b.md',
  "a'b.md",
  'a b.md',
  'ü.md',
  '[a].md',
  '$(id).md',
  ':/a.md',
  '@{-1}.md',
  'HEAD',
  '-',
];
test('notes with odd names do nothing unusual', async (t) => {
  const files = { 'a.md': 'a', 'b.md': 'b', 'x/y.md': 'y' };
  const { vault, root, git } = await gitVault(t, { files });
  for (const content of ['one', 'two']) {
    for (const path of ODD) await write(vault, path, `${content} of ${path}\n`);
    await vault.git!.settled();
    assert.equal(git('status', '--porcelain'), '');
    assert.equal(git('ls-files').trim().split('\n').length, ODD.length + 3);
  }
  for (const path of ODD) {
    const revisions = await vault.history.revisions({ path: at(path), limit: 10 });
    assert.deepEqual(
      revisions.map((revision) => revision.path),
      [path, path],
    );
    const [newer, older] = revisions;
    assert.equal(String(await vault.history.fileAt(at(path), older!.commit)), `one of ${path}\n`);
    const difference = await vault.history.difference(older!.commit, newer!.commit, at(path));
    assert.deepEqual(difference.match(/^[-+]\w{3} /gm), ['-one ', '+two '], path);
  }
  for (const path of ODD) {
    await vault.changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.remove(at(path)));
  }
  await vault.git!.settled();
  assert.equal(git('status', '--porcelain'), '');
  assert.deepEqual(git('ls-files').trim().split('\n'), ['a.md', 'b.md', 'x/y.md']);
  assert.deepEqual(await tree(root), ['a.md', 'b.md', 'x/y.md']);
});

test('a revision is a full commit id and nothing else', async (t) => {
  const { vault, root } = await gitVault(t, { files: { 'a.md': 'a' } });
  const [newest] = await vault.history.revisions({ limit: 1 });
  const odd = [
    '--output=x',
    '-p',
    'HEAD',
    'main',
    'HEAD~1',
    '',
    '..',
    newest!.commit.slice(0, 12),
    `${newest!.commit}..`,
    `${newest!.commit}^`,
    '0'.repeat(40),
    'A'.repeat(40),
  ];
  for (const revision of odd) {
    await assert.rejects(
      vault.history.fileAt(at('a.md'), revision),
      { code: 'revision_not_found' },
      revision,
    );
    await assert.rejects(
      vault.history.difference(revision, newest!.commit),
      { code: 'revision_not_found' },
      revision,
    );
    await assert.rejects(
      vault.history.difference(newest!.commit, revision),
      { code: 'revision_not_found' },
      revision,
    );
  }
  await assert.rejects(vault.history.fileAt(at('missing.md'), newest!.commit), {
    code: 'revision_not_found',
  });
  assert.deepEqual((await readdir(root)).sort(), ['.git', '.notes', 'a.md']);
});

test('the history of a note follows its renames and pages', async (t) => {
  const { vault } = await gitVault(t, { files: { 'a.md': 'some text that stays\n'.repeat(5) } });
  const id = await write(vault, 'a.md', `${'some text that stays\n'.repeat(5)}more\n`);
  await vault.changes.run({ tool: 'note_move', scope: 'vault' }, (tx) =>
    tx.move(at('a.md'), at('f/b.md')),
  );
  await vault.git!.settled();
  const revisions = await vault.history.revisions({ path: at('f/b.md'), limit: 10 });
  assert.deepEqual(
    revisions.map(({ path, subject }) => [path, subject]),
    [
      ['f/b.md', 'note_move: f/b.md and 1 more'],
      ['a.md', 'note_edit: a.md'],
      ['a.md', 'notes: history begins'],
    ],
  );
  assert.equal(revisions[1]!.changeId, id);
  const second = await vault.history.revisions({ path: at('f/b.md'), limit: 1, skip: 1 });
  assert.deepEqual(second, [revisions[1]]);
});

const FORM = '# Meeting\n\n## Present\n\n## Agenda\n\n## Decisions\n\n## Next steps\n\n';

test('the history of a note that resembles another is its own', async (t) => {
  const { vault } = await gitVault(t, { files: { 'form.md': FORM } });
  const { history } = vault;
  await write(vault, 'alpha.md', FORM);
  await write(vault, 'alpha.md', `${FORM}Alpha\n`);
  await write(vault, 'beta.md', `${FORM}Beta\n`);
  await vault.git!.settled();
  const beta = await history.revisions({ path: at('beta.md'), limit: 10 });
  assert.deepEqual(
    beta.map(({ path, subject }) => [path, subject]),
    [['beta.md', 'note_edit: beta.md']],
  );
});

test('a note that was renamed and edited at once is followed where another resembles it more', async (t) => {
  const { vault } = await gitVault(t, { files: { 'form.md': `${FORM}Gamma\n` } });
  const { history } = vault;
  await write(vault, 'old.md', `${FORM}Old\n`);
  await vault.changes.run({ tool: 'note_move', scope: 'vault' }, async (tx) => {
    await tx.move(at('old.md'), at('new.md'));
    await tx.write(at('new.md'), Buffer.from(`${FORM}Gamma\n`));
  });
  await vault.git!.settled();
  const revisions = await history.revisions({ path: at('new.md'), limit: 10 });
  assert.deepEqual(
    revisions.map(({ path, subject }) => [path, subject]),
    [
      ['new.md', 'note_move: new.md and 1 more'],
      ['old.md', 'note_edit: old.md'],
    ],
  );
});

test('a note that was removed and came back keeps the history from before', async (t) => {
  const { vault } = await gitVault(t, { files: { 'form.md': FORM, 'a.md': `${FORM}A\n` } });
  await vault.changes.run({ tool: 'note_delete', scope: 'vault' }, (tx) => tx.remove(at('a.md')));
  await write(vault, 'a.md', `${FORM}A\n`);
  await vault.git!.settled();
  const revisions = await vault.history.revisions({ path: at('a.md'), limit: 10 });
  assert.deepEqual(
    revisions.map(({ path, subject }) => [path, subject]),
    [
      ['a.md', 'note_edit: a.md'],
      ['a.md', 'note_delete: a.md'],
      ['a.md', 'notes: history begins'],
    ],
  );
});

test('where there is no commit yet there is no history', async (t) => {
  const root = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q', root]);
  const { vault } = await gitVault(t, { root });
  assert.deepEqual(await vault.history.revisions({ limit: 10 }), []);
  assert.deepEqual(await vault.history.revisions({ path: at('a.md'), limit: 10 }), []);
  assert.equal(await vault.history.commitOf('1-0-00000000'), null);
  await write(vault, 'a.md', 'a\n');
  await vault.git!.settled();
  assert.equal((await vault.history.revisions({ path: at('a.md'), limit: 10 })).length, 1);
});

const DAMAGE: Record<string, (root: string, head: string, parent: string) => Promise<void>> = {
  'the newest commit is gone': (root, head) => rm(objectFile(root, head)),
  'an older commit is gone': (root, _, parent) => rm(objectFile(root, parent)),
  'the branch is empty': (root) => writeFile(join(root, '.git/refs/heads/main'), ''),
};
for (const [what, damage] of Object.entries(DAMAGE)) {
  test(`a repository in which ${what} is not taken for an empty one`, async (t) => {
    const { vault, root } = await gitVault(t);
    await write(vault, 'a.md', 'a\n');
    await write(vault, 'a.md', 'b\n');
    await vault.git!.settled();
    const { history } = vault;
    const [head, parent] = await history.revisions({ limit: 2 });
    await damage(root, head!.commit, parent!.commit);
    const failure = { name: 'GitFailure' };
    await assert.rejects(history.revisions({ limit: 10 }), failure);
    await assert.rejects(history.revisions({ path: at('a.md'), limit: 10 }), failure);
    await assert.rejects(history.commitOf('1-0-00000000'), failure);
  });
}

function objectFile(root: string, id: string): string {
  return join(root, '.git/objects', id.slice(0, 2), id.slice(2));
}

test('the history gives back the bytes that were written, whatever git does to line ends', async (t) => {
  const notes = { 'lf.md': 'one\ntwo\n', 'auto.md': 'one\ntwo\n', 'crlf.md': 'one\r\ntwo\r\n' };
  for (const setting of ['core.autocrlf=true', 'core.autocrlf=input', 'core.eol=crlf']) {
    const { vault, git } = await gitVault(t, {
      files: { '.gitattributes': 'auto.md text=auto\ncrlf.md text eol=crlf\n' },
    });
    git('config', ...setting.split('='));
    for (const [path, text] of Object.entries(notes)) await write(vault, path, text);
    await vault.git!.settled();
    const { head } = vault.git!.state();
    for (const [path, text] of Object.entries(notes)) {
      const read = String(await vault.history.fileAt(at(path), head!));
      assert.equal(JSON.stringify(read), JSON.stringify(text), `${path} with ${setting}`);
    }
  }
});

test('the commit of a change has its trailer; a note with that name misleads nobody', async (t) => {
  const { vault } = await gitVault(t);
  const changeId = await write(vault, 'a.md', 'a\n');
  await write(vault, `Notes-Change: ${changeId}.md`, 'b\n');
  await vault.git!.settled();
  assert.equal(await vault.history.commitOf(changeId), vault.git!.commitOf(changeId));
});
