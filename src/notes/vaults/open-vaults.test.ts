import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { at } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { vaultNames } from './data-folders.ts';

test('a data directory without a vault gets the default one', async (context) => {
  const bench = await notesBench(context);
  assert.deepEqual(bench.vaults.names(), ['default']);
  assert.ok((await readdir(bench.data)).includes('default'));
});

test('a change made here is in the index when its promise resolves', async (context) => {
  const { open } = await notesBench(context, { files: { 'a.md': '# Old\n' } });
  const { changes } = open.vault;
  await changes.run({ tool: 'test', scope: [at('b.md')] }, (tx) =>
    tx.create(at('b.md'), Buffer.from('# Quince\n')),
  );
  const found = await open.index.search({ query: 'quince' });
  assert.deepEqual(
    found.items.map(({ path }) => path),
    ['b.md'],
  );
  await changes.run({ tool: 'test', scope: [at('b.md')] }, (tx) => tx.remove(at('b.md')));
  assert.deepEqual((await open.index.search({ query: 'quince' })).items, []);
});

test('the end of the first build is logged with its counts', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'x', 'b.md': 'y' } });
  const ready = bench.lines().find(({ event }) => event === 'index_ready');
  assert.deepEqual([ready?.indexed, ready?.on_disk], [2, 2]);
});

test('a vault whose index cannot be opened is not made at all, and the others go on', async (context) => {
  const { vaults, data, call } = await notesBench(context);
  await assert.rejects(vaults.create('second', { '.notes/index.db/in-its-place': 'x' }));
  assert.deepEqual(vaults.names(), ['default']);
  assert.equal((await call('vault_list')).vaults.length, 1);
  assert.deepEqual(await vaultNames(data), ['default']);
  await vaults.create('second');
  assert.deepEqual(vaults.names(), ['default', 'second']);
});

test('a vault is named from the moment it can be used', async (context) => {
  const { vaults } = await notesBench(context);
  let made = false;
  const making = vaults.create('second').finally(() => {
    made = true;
  });
  while (!made) {
    for (const name of vaults.names()) assert.equal(vaults.get(name).name, name);
    await setImmediate();
  }
  await making;
});
