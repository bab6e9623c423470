import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

test('every vault with its counts, conventions and git', async (context) => {
  const { call, vaults } = await notesBench(context, {
    files: { 'a.md': 'x', 'x.png': 'x', '.notes/instructions.md': 'be brief' },
    git: { author: { name: 'Ada', email: 'ada@example.org' } },
  });
  await vaults.create('work');
  await vaults.ready();
  assert.deepEqual(await call('vault_list'), {
    vaults: [
      {
        name: 'default',
        default: true,
        notes: 1,
        attachments: 1,
        index: 'ready',
        git: 'on',
        instructions: 'be brief',
      },
      { name: 'work', notes: 0, attachments: 0, index: 'ready', git: 'on' },
    ],
    default: 'default',
  });
});

test('long conventions are cut and say where they are whole', async (context) => {
  const { call } = await notesBench(context, {
    files: { '.notes/instructions.md': 'x'.repeat(60_000) },
  });
  const [vault] = (await call('vault_list')).vaults;
  assert.equal(vault.git, 'off');
  assert.equal(vault.instructions.length, 500);
  assert.equal(vault.instructions_resource, 'notes://default/instructions');
});

test('pages hold every vault once; it takes no vault', async (context) => {
  const { call, refusal, vaults } = await notesBench(context);
  for (let index = 0; index < 6; index++) await vaults.create(`v${index}`);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await call('vault_list', { limit: 3, ...(cursor && { cursor }) });
    seen.push(...page.vaults.map(({ name }: { name: string }) => name));
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(seen, vaults.names());
  for (const args of [{ vault: 'default' }, { limit: 0 }, { cursor: 'x' }]) {
    assert.equal((await refusal('vault_list', args)).code, 'invalid_arguments');
  }
});

test('a vault whose index cannot answer is listed all the same', async (context) => {
  const { call, data, open } = await notesBench(context, { files: { 'a.md': 'x' } });
  const file = join(data, 'default/.notes/index.db');
  await writeFile(file, Buffer.alloc((await stat(file)).size, 0xaa), { flag: 'r+' });
  await writeFile(`${file}-wal`, '');
  assert.equal((await call('vault_list')).vaults[0].notes, null);
  await until(() => open.index.state().state === 'ready');
  assert.equal((await call('vault_list')).vaults[0].notes, 1);
});
