import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { at, get, put, storageParts, tree } from '../../../test/support/notes/notes-storage.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-15T12:00:00Z');

test('a note stays in the trash for 29 days and is gone after 31', async (t) => {
  let now = START;
  const { root, changes, trash } = await storageParts(t, { now: () => now });
  await put(root, 'a/n.md', 'n');
  const { value: trashId } = await changes.run(
    { tool: 'note_delete', scope: [at('a/n.md')] },
    (tx) => tx.remove(at('a/n.md')),
  );
  await mkdir(join(root, '.notes/trash/put here by hand'));
  now = START + 29 * DAY_MS;
  assert.equal(await trash.purge(), 0);
  const [entry] = await trash.list();
  assert.deepEqual(entry, { trashId, path: 'a/n.md', deletedAt: new Date(START), bytes: 1 });
  now = START + 31 * DAY_MS;
  await assert.rejects(
    changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(trashId)),
    { code: 'trash_expired' },
  );
  assert.equal(await trash.purge(), 1);
  assert.deepEqual(await trash.list(), []);
  assert.deepEqual(await readdir(join(root, '.notes/trash')), ['put here by hand']);
});

test('notes deleted at one path in the same second are both kept and both restored', async (t) => {
  const { root, changes, trash } = await storageParts(t, { now: () => START });
  const remove = async (content: string): Promise<string> => {
    await put(root, 'n.md', content);
    const run = await changes.run({ tool: 'x', scope: [at('n.md')] }, (tx) =>
      tx.remove(at('n.md')),
    );
    return run.value;
  };
  const first = await remove('first');
  const second = await remove('second');
  assert.equal((await trash.list()).length, 2);
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(second));
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(first, at('other.md')));
  assert.equal(await get(root, 'n.md'), 'second');
  assert.equal(await get(root, 'other.md'), 'first');
  assert.deepEqual(await trash.list(), []);
});

test('restoring onto an occupied path is refused and keeps both', async (t) => {
  const { root, changes, trash } = await storageParts(t);
  await put(root, 'n.md', 'old');
  const { value } = await changes.run({ tool: 'x', scope: [at('n.md')] }, (tx) =>
    tx.remove(at('n.md')),
  );
  await put(root, 'n.md', 'new');
  const restore = changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(value));
  await assert.rejects(restore, { code: 'note_exists' });
  assert.equal(await get(root, 'n.md'), 'new');
  assert.equal((await trash.list()).length, 1);
});

test('a trash id can name nothing else', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, '.notes/instructions.md', 'conventions');
  await put(root, 'n.md', 'n');
  for (const id of [
    '',
    '.',
    '..',
    '../..',
    '../journal',
    'x/../..',
    '20261115T120000000Z-zzzzzzzz',
  ]) {
    const restore = changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(id));
    await assert.rejects(restore, { code: 'trash_expired' }, id);
  }
  assert.deepEqual(await tree(root), ['n.md']);
});

test('what has been restored no longer counts as deleted', async (t) => {
  const { root, changes, trash } = await storageParts(t);
  const ids: string[] = [];
  for (const path of ['n.md', 'deep/in/n.md', 'kept.md']) {
    await put(root, path, 'n');
    const removed = await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.remove(at(path)));
    ids.push(removed.value);
  }
  assert.equal(await trash.count(), 3);
  for (const id of ids.slice(0, 2)) {
    await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(id));
  }
  assert.equal(await trash.count(), 1);
  assert.equal((await trash.list()).length, 1);
});

test('a list shows what is in the trash now, also after files were taken out by hand', async (t) => {
  const { root, changes, trash } = await storageParts(t, { now: () => START });
  const remove = async (path: string): Promise<string> => {
    await put(root, path, path);
    const scope = [at(path)];
    return (await changes.run({ tool: 'x', scope }, (tx) => tx.remove(at(path)))).value;
  };
  const paths = async () => (await trash.list()).map(({ path }) => path).sort();
  const first = await remove('a/b/first.md');
  const second = await remove('second.md');
  assert.deepEqual(await paths(), ['a/b/first.md', 'second.md']);
  await rm(join(root, '.notes/trash', first, 'a/b/first.md'));
  assert.deepEqual(await paths(), ['second.md']);
  await put(root, `.notes/trash/${second}/second.md`, 'longer than before');
  assert.equal((await trash.list())[0]?.bytes, 18);
  await remove('third.md');
  assert.deepEqual(await paths(), ['second.md', 'third.md']);
  await rm(join(root, '.notes/trash'), { recursive: true });
  assert.deepEqual(await paths(), []);
});
