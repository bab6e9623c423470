/** What we change ourselves is left out of what the watcher reports. */
import assert from 'node:assert/strict';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  at,
  put,
  recordingLog,
  storageParts,
  temporaryDirectory,
  until,
} from '../../../test/support/notes/notes-storage.ts';
import { Mirror, watched } from '../../../test/support/notes/watched-vault.ts';
import { Vault } from '../vaults/vault.ts';
import { OwnWrites } from './own-writes.ts';
import { stampOf } from './stored-file.ts';

test('our own writes, moves and removals are not reported, an edit right after one is', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, 'a.md', 'a');
  await put(root, 'f/g/b.md', 'b');
  const { log } = recordingLog();
  const vault = await Vault.open({ name: 'vault', root, difference: () => '', log });
  const mirror = new Mirror(root);
  const watcher = await vault.watch(mirror);
  t.after(() => Promise.all([watcher.stop(), vault.close()]));
  const run = (work: Parameters<typeof vault.changes.run>[1]) =>
    vault.changes.run({ tool: 'x', scope: 'vault' }, work);
  await run((tx) => tx.write(at('a.md'), Buffer.from('a2')));
  await run((tx) => tx.create(at('new/folder/n.md'), Buffer.from('n')));
  await run((tx) => tx.moveFolder(at('f'), at('moved/f')));
  await run((tx) => tx.move(at('a.md'), at('c.md')));
  await run((tx) => tx.remove(at('new/folder/n.md')));
  await run((tx) => tx.create(at('edited.md'), Buffer.from('ours')));
  await writeFile(join(root, 'edited.md'), 'theirs');
  await until(() => mirror.contents.get('edited.md') === 'theirs');
  assert.deepEqual(
    mirror.calls.filter((call) => !call.endsWith('edited.md')),
    [],
  );
});

test('our own changes are ours in the moment they are made, however soon the watcher looks', async (t) => {
  const own = new OwnWrites();
  const options = { own, debounceMs: 0 };
  const { root, mirror } = await watched(t, { 'a.md': 'a', 'f/g/b.md': 'b' }, options);
  const { changes } = await storageParts(t, { root, own });
  const run = (work: Parameters<typeof changes.run>[1]) =>
    changes.run({ tool: 'x', scope: 'vault' }, work);
  for (let round = 1; round <= 8; round++) {
    await run((tx) => tx.write(at('a.md'), Buffer.from(`a${round}`)));
    await run((tx) => tx.create(at('new/n.md'), Buffer.from('n')));
    await run((tx) => tx.move(at('a.md'), at('c.md')));
    await run(async (tx) => {
      await tx.moveFolder(at('f'), at('moved/f'));
      await tx.write(at('moved/f/g/b.md'), Buffer.from(`b${round}`));
    });
    await run((tx) => tx.remove(at('new/n.md')));
    await run((tx) => tx.move(at('c.md'), at('a.md')));
    await run((tx) => tx.moveFolder(at('moved/f'), at('f')));
  }
  await writeFile(join(root, 'last.md'), 'last');
  await until(() => mirror.contents.has('last.md'));
  assert.deepEqual([...new Set(mirror.calls)], ['changed last.md']);
});

test('what was ours and is forgotten is looked at again', async (t) => {
  const own = new OwnWrites();
  const { root, mirror } = await watched(t, { 'a.md': 'a' }, { own });
  await put(root, '.hidden', 'half a change');
  own.add('a.md', stampOf(await lstat(join(root, '.hidden'), { bigint: true })));
  await rename(join(root, '.hidden'), join(root, 'a.md'));
  await writeFile(join(root, 'last.md'), 'last');
  await until(() => mirror.contents.has('last.md'));
  assert.equal(mirror.contents.get('a.md'), 'a');
  own.forget('a.md');
  await until(() => mirror.contents.get('a.md') === 'half a change');
});

test('a path that we removed, and the owner makes and removes anew, is reported as removed', async (t) => {
  const own = new OwnWrites();
  const { root, mirror } = await watched(t, { 'n.md': 'n', 'd/x.md': 'x' }, { own });
  const { changes } = await storageParts(t, { root, own });
  await changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    await tx.remove(at('n.md'));
    await tx.moveFolder(at('d'), at('e'));
  });
  await put(root, 'n.md', 'again');
  await put(root, 'd/y.md', 'again');
  await until(() => mirror.contents.get('n.md') === 'again' && mirror.contents.has('d/y.md'));
  await rm(join(root, 'n.md'));
  await rm(join(root, 'd'), { recursive: true });
  await until(() => !mirror.contents.has('n.md') && !mirror.contents.has('d/y.md'));
});

test('a version of ours that the owner puts back over his own is reported', async (t) => {
  const own = new OwnWrites();
  const { root, mirror } = await watched(t, {}, { own });
  const { changes } = await storageParts(t, { root, own });
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
    tx.create(at('m.md'), Buffer.from('ours')),
  );
  await rename(join(root, 'm.md'), join(root, '.backup'));
  await put(root, 'm.md', 'theirs');
  await until(() => mirror.contents.get('m.md') === 'theirs');
  await rename(join(root, '.backup'), join(root, 'm.md'));
  await until(() => mirror.contents.get('m.md') === 'ours');
});
