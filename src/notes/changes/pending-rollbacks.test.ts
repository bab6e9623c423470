/** A change fails part-way, and its rollback fails on the same full disk. */
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { at, get, put, storageParts, tree } from '../../../test/support/notes/notes-storage.ts';
import type { StorageError } from '../files/storage-error.ts';
import { Journal } from './journal.ts';

/** A disk that takes what is called NEW, but no z.md and nothing old. */
async function fullDisk(t: TestContext): Promise<{ freed: () => void }> {
  const probe = await open('/dev/null');
  const handle = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const { writeFile } = handle;
  const mocked = t.mock.method(handle, 'writeFile', function (this: typeof probe, data: Buffer) {
    const text = data.toString();
    if (text.includes('NEW') && !text.includes('z')) return writeFile.call(this, data);
    const error = new Error('ENOSPC: no space left on device, write');
    return Promise.reject(Object.assign(error, { code: 'ENOSPC', syscall: 'write' }));
  });
  return { freed: () => mocked.mock.restore() };
}

async function halfChanged(t: TestContext) {
  const parts = await storageParts(t);
  const { root, changes } = parts;
  for (const path of ['a.md', 'b.md', 'other.md']) await put(root, path, 'old');
  const write = (path: string) =>
    changes.run({ tool: 'x', scope: [at(path)] }, (tx) => tx.write(at(path), Buffer.from('NEW')));
  const disk = await fullDisk(t);
  const split = changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    for (const path of ['a.md', 'b.md']) await tx.write(at(path), Buffer.from('NEW'));
    await tx.create(at('z.md'), Buffer.from('z'));
  });
  await assert.rejects(split, { code: 'storage_error' });
  assert.equal(await get(root, 'a.md'), 'NEW');
  return { ...parts, ...disk, write };
}

test('what could not be taken back is not written over, other notes are', async (t) => {
  const { changes, write } = await halfChanged(t);
  const refused = (error: StorageError) =>
    error.code === 'storage_error' && /could not be rolled back yet/.test(error.message);
  await assert.rejects(write('a.md'), refused);
  await assert.rejects(write('z.md'), refused);
  const all = changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.remove(at('other.md')));
  await assert.rejects(all, refused);
  await write('other.md');
});

test('what could not be taken back is taken back before the next change', async (t) => {
  const { root, write, freed } = await halfChanged(t);
  freed();
  await write('a.md');
  assert.equal(await get(root, 'a.md'), 'NEW');
  assert.equal(await get(root, 'b.md'), 'old');
  assert.deepEqual(await tree(root), ['a.md', 'b.md', 'other.md']);
  assert.deepEqual(await (await Journal.open(root, Date.now)).unfinished(), []);
});
