import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { at, get, put, storageParts, tree } from '../../../test/support/notes/notes-storage.ts';
import type { MoveOperation } from './journal-record.ts';
import { undoOperations } from './undo.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

test('a change of many files is made as a whole, and undone as a whole', async (t) => {
  const { root, changes, trash } = await storageParts(t);
  await put(root, 'a.md', 'a');
  await put(root, 'b.md', 'b');
  await put(root, 'c.md', 'c');
  await put(root, 'f/d.md', 'd');
  await put(root, 'f/deep/e.md', 'e');
  const before = await contents(root);
  const { changeId, files, gone } = await changes.run(
    { tool: 'many', scope: 'vault' },
    async (tx) => {
      await tx.write(at('a.md'), bytes('a [[g/f/d]]'));
      await tx.write(at('b.md'), bytes('b2'));
      await tx.move(at('b.md'), at('new/b.md'));
      await tx.remove(at('c.md'));
      const moved = await tx.moveFolder(at('f'), at('g/f'));
      assert.deepEqual(moved.map(({ to }) => to).sort(), ['g/f/d.md', 'g/f/deep/e.md']);
      await tx.write(at('g/f/d.md'), bytes('d2'));
      await tx.create(at('g/f/new.md'), bytes('new'));
      await tx.create(at('c.md'), bytes('another c'));
    },
  );
  assert.deepEqual(await contents(root), {
    'a.md': 'a [[g/f/d]]',
    'c.md': 'another c',
    'g/f/d.md': 'd2',
    'g/f/deep/e.md': 'e',
    'g/f/new.md': 'new',
    'new/b.md': 'b2',
  });
  const told = files.map(({ path, from, before, after }) => [
    path,
    from,
    before?.toString(),
    after?.toString(),
  ]);
  assert.deepEqual(told.sort(), [
    ['a.md', undefined, 'a', 'a [[g/f/d]]'],
    ['c.md', undefined, undefined, 'another c'],
    ['c.md', undefined, 'c', undefined],
    ['g/f/d.md', 'f/d.md', 'd', 'd2'],
    ['g/f/deep/e.md', 'f/deep/e.md', 'e', 'e'],
    ['g/f/new.md', undefined, undefined, 'new'],
    ['new/b.md', 'b.md', 'b', 'b2'],
  ]);
  assert.deepEqual([...gone].sort(), ['b.md', 'f/d.md', 'f/deep/e.md']);
  const undone = await changes.undo(changeId!);
  assert.deepEqual(await contents(root), before);
  assert.deepEqual((await readdir(root)).sort(), ['.notes', 'a.md', 'b.md', 'c.md', 'f']);
  await changes.undo(undone.changeId!);
  assert.equal(await get(root, 'g/f/d.md'), 'd2');
  assert.equal(await get(root, 'c.md'), 'another c');
  assert.ok((await trash.list()).length > 0);
});

const CONFLICTS: [string, (root: string) => Promise<void>][] = [
  ['written', (root) => put(root, 'a.md', 'later')],
  ['removed', (root) => rm(join(root, 'a.md'))],
];
for (const [how, later] of CONFLICTS) {
  test(`undo of a note that was ${how} since is undo_conflict and changes nothing`, async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'a.md', 'a');
    await put(root, 'b.md', 'b');
    const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
      await tx.write(at('b.md'), bytes('b2'));
      await tx.write(at('a.md'), bytes('a2'));
    });
    await later(root);
    await assert.rejects(changes.undo(changeId!), { code: 'undo_conflict' });
    assert.equal(await get(root, 'b.md'), 'b2');
  });
}

const FOLDER_CONFLICTS: [string, string, (root: string) => Promise<void>][] = [
  ['a file was written', 'g/f/d.md', (root) => put(root, 'g/f/d.md', 'later')],
  ['a file came', 'g/f/deep/new.md', (root) => put(root, 'g/f/deep/new.md', 'new')],
  ['a file went', 'g/f/deep/e.md', (root) => rm(join(root, 'g/f/deep/e.md'))],
  ['a picture was written', 'g/f/p.png', (root) => put(root, 'g/f/p.png', 'later')],
];
for (const [how, path, later] of FOLDER_CONFLICTS) {
  test(`undo of a folder's move is undo_conflict where ${how} since`, async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'f/d.md', 'd');
    await put(root, 'f/p.png', 'p');
    await put(root, 'f/deep/e.md', 'e');
    const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
      await tx.moveFolder(at('f'), at('g/f'));
      await tx.write(at('g/f/d.md'), bytes('d2'));
    });
    await later(root);
    const before = await contents(root);
    await assert.rejects(changes.undo(changeId!), { code: 'undo_conflict', data: { path } });
    assert.deepEqual(await contents(root), before);
  });
}

test('a record that does not say what was in a folder moves it back as it is', async (t) => {
  const { root, changes, journal } = await storageParts(t);
  await put(root, 'f/d.md', 'd');
  const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
    tx.moveFolder(at('f'), at('g')),
  );
  await put(root, 'g/new.md', 'new');
  const record = (await journal.find(changeId!))!;
  const operations = record.operations.map((operation) => {
    const { files, ...rest } = operation as MoveOperation;
    assert.equal(files?.length, 1);
    return rest;
  });
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
    undoOperations(tx, { ...record, operations }),
  );
  assert.deepEqual(await contents(root), { 'f/d.md': 'd', 'f/new.md': 'new' });
});

test('files that go into a folder and out of it with its move all come back', async (t) => {
  const { root, changes } = await storageParts(t);
  for (const path of ['a.md', 'f/b.md', 'f/c.md', 'f/d.md']) await put(root, path, path);
  const before = await contents(root);
  const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    await tx.move(at('a.md'), at('f/a.md'));
    await tx.moveFolder(at('f'), at('g'));
    await tx.move(at('g/b.md'), at('b.md'));
    await tx.remove(at('g/c.md'));
    await tx.write(at('g/a.md'), bytes('a2'));
  });
  assert.deepEqual(await contents(root), { 'b.md': 'f/b.md', 'g/a.md': 'a2', 'g/d.md': 'f/d.md' });
  const { files } = await changes.undo(changeId!);
  assert.deepEqual(await contents(root), before);
  assert.deepEqual(files.map(({ path }) => path).sort(), Object.keys(before).sort());
});

test('undo of an unknown, malformed or forged change is undo_expired', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'a.md', 'a');
  const { changeId } = await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) =>
    tx.write(at('a.md'), bytes('b')),
  );
  const forged = changeId!.replace(/-[0-9a-f]{8}$/, '-00000000');
  for (const id of [
    '',
    '../../x',
    '1-0-00000000',
    '9-9-deadbeef',
    forged,
    '999999999-zz-00000000',
  ]) {
    await assert.rejects(changes.undo(id), { code: 'undo_expired' }, id);
  }
});

test('a change is undone for thirty days and not longer', async (t) => {
  let now = Date.parse('2026-11-15T12:00:00Z');
  const { root, changes, journal } = await storageParts(t, {
    now: () => now,
  });
  await put(root, 'a.md', 'a');
  const change = async (to: string): Promise<string> =>
    (await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) => tx.write(at('a.md'), bytes(to))))
      .changeId!;
  const early = await change('b');
  now += 29 * 86_400_000;
  await journal.purge();
  await changes.undo(early);
  assert.equal(await get(root, 'a.md'), 'a');
  now += 2 * 86_400_000;
  await assert.rejects(changes.undo(early), { code: 'undo_expired' });
});

test('the folders that an undo leaves empty are gone before the next change begins', async (t) => {
  const { root, changes } = await storageParts(t);
  const { changeId } = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
    tx.create(at('new/deep/a.md'), bytes('a')),
  );
  let next: Promise<{ readonly value: boolean }> | undefined;
  changes.onChange(async () => {
    next ??= changes.run({ tool: 'next', scope: 'vault' }, async () =>
      existsSync(join(root, 'new')),
    );
  });
  await changes.undo(changeId!);
  assert.equal((await next!).value, false);
});

async function contents(root: string): Promise<Record<string, string>> {
  const paths = await tree(root);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await get(root, path)])),
  );
}
