import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  at,
  get,
  put,
  recordingLog,
  temporaryDirectory,
} from '../../../test/support/notes/notes-storage.ts';
import { contentHash } from '../files/content-hash.ts';
import { Vaults } from './vaults.ts';

const difference = (before: Buffer, after: Buffer): string => `-${before}\n+${after}`;

test('vaults are the directories with a vault’s name right below the data directory', async (t) => {
  const data = await temporaryDirectory(t);
  const elsewhere = await temporaryDirectory(t);
  for (const name of ['work', 'a-1_b', '0', 'Upper', '.hidden', 'with space', 'x'.repeat(65)]) {
    await mkdir(join(data, name));
  }
  await writeFile(join(data, 'file'), '');
  await symlink(elsewhere, join(data, 'link'));
  const vaults = await Vaults.open(data, { difference, log: recordingLog().log });
  t.after(() => vaults.close());
  assert.deepEqual(vaults.names(), ['0', 'a-1_b', 'work']);
  assert.throws(() => vaults.get('link'), { code: 'vault_unknown' });
  assert.throws(() => vaults.get('../x'), { code: 'vault_unknown' });
});

const NAMES: [string, string][] = [
  ['', 'vault_name_invalid'],
  ['.git', 'vault_name_invalid'],
  ['../x', 'vault_name_invalid'],
  ['A', 'vault_name_invalid'],
  ['-x', 'vault_name_invalid'],
  ['x'.repeat(65), 'vault_name_invalid'],
  ['taken', 'vault_exists'],
];
test('a vault is created once, under a name a vault may have', async (t) => {
  const data = await temporaryDirectory(t);
  const vaults = await Vaults.open(data, { difference, log: recordingLog().log });
  t.after(() => vaults.close());
  await vaults.create('taken');
  for (const [name, code] of NAMES) await assert.rejects(vaults.create(name), { code }, name);
  assert.deepEqual(vaults.names(), ['taken']);
});

test('a second vault is refused where all would share one remote', async (t) => {
  const data = await temporaryDirectory(t);
  const git = { author: { name: 'n', email: 'n@localhost' }, remote: join(data, '.none.git') };
  const vaults = await Vaults.open(data, { difference, git, log: recordingLog().log });
  t.after(() => vaults.close());
  await vaults.create('first');
  await assert.rejects(vaults.create('second'), { code: 'remote_needs_vault' });
});

test('what a reader was shown is what hash_mismatch compares with', async (t) => {
  const data = await temporaryDirectory(t);
  await put(data, 'v/a.md', 'shown');
  const vaults = await Vaults.open(data, { difference, log: recordingLog().log });
  t.after(() => vaults.close());
  const vault = vaults.get('v');
  const { contentHash: hash } = await vault.read(at('a.md'));
  await put(data, 'v/a.md', 'edited');
  const write = vault.changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) =>
    tx.write(at('a.md'), Buffer.from('ours'), hash),
  );
  await assert.rejects(write, {
    code: 'hash_mismatch',
    data: {
      path: 'a.md',
      content_hash: contentHash(Buffer.from('edited')),
      difference: '-shown\n+edited',
    },
  });
  assert.equal(await get(data, 'v/a.md'), 'edited');
  await assert.rejects(vault.read(at('none.md')), { code: 'note_not_found' });
});

test('instructions are the vault’s own file, absent where there is none', async (t) => {
  const data = await temporaryDirectory(t);
  await put(data, 'v/.notes/instructions.md', 'be brief');
  await mkdir(join(data, 'w'));
  const vaults = await Vaults.open(data, { difference, log: recordingLog().log });
  t.after(() => vaults.close());
  assert.equal(await vaults.get('v').instructions(), 'be brief');
  assert.equal(await vaults.get('w').instructions(), undefined);
});

test('a vault that cannot be filled is not there, and its name is free', async (t) => {
  const data = await temporaryDirectory(t);
  const vaults = await Vaults.open(data, { difference, log: recordingLog().log });
  t.after(() => vaults.close());
  const files = { 'a.md': 'x', 'a.md/b.md': 'a file is no folder' };
  await assert.rejects(vaults.create('half', files), { code: 'path_invalid' });
  assert.deepEqual(vaults.names(), []);
  await vaults.create('half', { 'a.md': 'x' });
  assert.equal(await get(join(data, 'half'), 'a.md'), 'x');
});

test('of instructions that are too long the beginning is given, up to a whole character', async (t) => {
  const data = await temporaryDirectory(t);
  await put(data, 'v/.notes/instructions.md', `be brief ${'é'.repeat(64 * 1024)}`);
  const { log, lines } = recordingLog();
  const vaults = await Vaults.open(data, { difference, log });
  t.after(() => vaults.close());
  assert.equal(await vaults.get('v').instructions(), `be brief ${'é'.repeat(32 * 1024 - 5)}`);
  assert.match(lines.join(''), /instructions_cut.*"bytes":131081,"max_bytes":65536/);
});
