/** An undo gives every file the very name it had, whatever else that name may be taken for. */
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at, get, put, storageParts, tree } from '../../../test/support/notes/notes-storage.ts';
import type { Transaction } from './change-types.ts';

const NFD = 'cafe\u0301';
const NFC = 'caf\u00e9';

const leaving: [what: string, path: string, work: (tx: Transaction) => Promise<unknown>][] = [
  ['removed', `${NFD}.md`, (tx) => tx.remove(at(`${NFD}.md`))],
  ['moved', `${NFD}.md`, (tx) => tx.move(at(`${NFD}.md`), at('x/y.md'))],
  ['composed', `${NFD}.md`, (tx) => tx.move(at(`${NFD}.md`), at(`${NFC}.md`))],
  ['removed from its folder', `${NFD}/x.md`, (tx) => tx.remove(at(`${NFD}/x.md`))],
  ['moved with its folder', `${NFD}/x.md`, (tx) => tx.moveFolder(at(NFD), at('b'))],
];

describe('a decomposed name comes back as it was', () => {
  for (const [what, path, work] of leaving) {
    test(what, async (t) => {
      const { root, changes } = await storageParts(t);
      await put(root, path, 'x');
      const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, work);
      assert.notDeepEqual(await tree(root), [path]);
      const { files } = await changes.undo(changeId!);
      assert.deepEqual(await tree(root), [path]);
      assert.ok(files.every((file) => file.path === path));
    });
  }
});

const twins: [string, string][] = [
  ['foo.md', 'Foo.md'],
  ['Foo.md', 'foo.md'],
  [`${NFD}.md`, `${NFC}.md`],
  [`${NFC}.md`, `${NFD}.md`],
];

describe('one of two files whose names are nearly one', () => {
  for (const [path, twin] of twins) {
    const works: [string, (tx: Transaction) => Promise<unknown>][] = [
      ['removed', (tx) => tx.remove(at(path))],
      ['moved', (tx) => tx.move(at(path), at('x/y.md'))],
    ];
    for (const [what, work] of works) {
      test(`comes back beside ${escape(twin)} after it was ${what}`, async (t) => {
        const { root, changes } = await storageParts(t);
        await put(root, path, 'this');
        await put(root, twin, 'that');
        const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, work);
        const undone = await changes.undo(changeId!);
        assert.deepEqual(await tree(root), [path, twin].sort());
        assert.equal(await get(root, path), 'this');
        assert.equal(await get(root, twin), 'that');
        await changes.undo(undone.changeId!);
        assert.equal(await get(root, twin), 'that');
      });
    }
  }

  test('comes back with its folder', async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'Foo/x.md', 'this');
    await put(root, 'foo/x.md', 'that');
    const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
      tx.moveFolder(at('Foo'), at('bar')),
    );
    await changes.undo(changeId!);
    assert.equal(await get(root, 'Foo/x.md'), 'this');
    assert.equal(await get(root, 'foo/x.md'), 'that');
  });

  test('does not come back where its own name is taken', async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'foo.md', 'this');
    await put(root, 'Foo.md', 'that');
    const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
      tx.remove(at('foo.md')),
    );
    await rename(join(root, 'Foo.md'), join(root, 'foo.md'));
    await assert.rejects(changes.undo(changeId!), { code: 'undo_conflict' });
    assert.equal(await get(root, 'foo.md'), 'that');
  });

  test('does not come back where the other came later', async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'foo.md', 'this');
    const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
      tx.remove(at('foo.md')),
    );
    await put(root, 'Foo.md', 'later');
    await assert.rejects(changes.undo(changeId!), { code: 'undo_conflict' });
    assert.deepEqual(await tree(root), ['Foo.md']);
  });
});
