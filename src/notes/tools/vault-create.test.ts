import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { LAYOUTS, layouts } from '../edit/layouts.ts';

const author = { name: 'Ada', email: 'ada@a.example' };

test('every layout has its conventions and first notes, found at once', async (context) => {
  const bench = await notesBench(context);
  for (const layout of LAYOUTS) {
    const result = await bench.call('vault_create', { name: layout, layout });
    const root = join(bench.data, layout);
    const { instructions, notes } = layouts[layout];
    assert.equal(await readFile(join(root, '.notes/instructions.md'), 'utf8'), instructions);
    assert.equal(result.instructions, instructions);
    assert.deepEqual(await tree(root), Object.keys(notes).sort());
    assert.deepEqual(result.notes, Object.keys(notes));
    const open = bench.vaults.get(layout);
    assert.equal(await open.vault.instructions(), instructions);
    assert.equal(open.index.state().indexed, Object.keys(notes).length);
    await bench.call('note_capture', { vault: layout, text: 'works' });
  }
  assert.equal((await bench.call('vault_create', { name: 'plain' })).layout, 'empty');
});

test('the history of a new vault begins with its notes and conventions', async (context) => {
  const bench = await notesBench(context, { git: { author } });
  await bench.call('vault_create', { name: 'second', layout: 'wiki' });
  await bench.vaults.get('second').vault.git!.settled();
  await bench.call('note_capture', { vault: 'second', text: 'x' });
  await bench.vaults.get('second').vault.git!.settled();
  const cwd = join(bench.data, 'second');
  const files = execFileSync('git', ['ls-tree', '-r', '--name-only', 'HEAD'], { cwd }).toString();
  assert.deepEqual(files.trim().split('\n'), ['.notes/instructions.md', 'inbox.md', 'index.md']);
  assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd }).toString(), '');
});

test('a name that is taken or cannot be one is refused', async (context) => {
  const bench = await notesBench(context);
  await mkdir(join(bench.data, 'folder'));
  await writeFile(join(bench.data, 'file'), '');
  const before = (await readdir(bench.data)).sort();
  const names = ['', 'A', '-a', '../x', 'a/b', '.git', 'a'.repeat(65), 'é', 'a\n', 'a b', 'a.md'];
  for (const [name, code] of [
    ...names.map((wrong) => [wrong, 'vault_name_invalid'] as const),
    ['default', 'vault_exists'],
    ['folder', 'vault_exists'],
    ['file', 'vault_exists'],
  ] as const) {
    for (const dry_run of [true, false]) {
      const refused = await bench.refusal('vault_create', { name, layout: 'wiki', dry_run });
      assert.equal(refused.code, code, name);
    }
  }
  const wrong = await bench.refusal('vault_create', { name: 'x', layout: 'other' });
  assert.equal(wrong.code, 'invalid_arguments');
  assert.deepEqual((await readdir(bench.data)).sort(), before);
});

test('two at once with one name are one vault', async (context) => {
  const bench = await notesBench(context);
  const answers = await Promise.all(
    [1, 2, 3].map(() => bench.answer('vault_create', { name: 'twin', layout: 'para' })),
  );
  assert.equal(answers.filter(({ isError }) => !isError).length, 1);
  assert.deepEqual(bench.vaults.names(), ['default', 'twin']);
});

test('a call for a vault that is being made is vault_unknown until it is there', async (context) => {
  const bench = await notesBench(context, { git: { author } });
  const making = bench.call('vault_create', { name: 'late', layout: 'wiki' });
  let made = false;
  void making.then(() => {
    made = true;
  });
  const answers = [];
  while (!made) {
    answers.push(await bench.answer('note_capture', { vault: 'late', text: 'x' }));
    await setImmediate();
  }
  await making;
  assert.ok(answers.length > 0);
  for (const { isError, content } of answers) {
    const text = content[0]?.type === 'text' ? content[0].text : '';
    if (isError) assert.match(text, /^vault_unknown: /);
  }
  assert.equal((await bench.call('note_capture', { vault: 'late', text: 'x' })).vault, 'late');
});

test('a second vault needs a separate remote', async (context) => {
  const git = { author, remote: 'http://127.0.0.1:9/notes.git' };
  const bench = await notesBench(context, { git });
  const { code } = await bench.refusal('vault_create', { name: 'second' });
  assert.equal(code, 'remote_needs_vault');
  assert.ok(!(await readdir(bench.data)).includes('second'));
});

test('a dry run says what would be made and makes nothing', async (context) => {
  const bench = await notesBench(context);
  const result = await bench.call('vault_create', { name: 'x', layout: 'wiki', dry_run: true });
  assert.deepEqual(result.notes, ['index.md', 'inbox.md']);
  assert.ok(!(await readdir(bench.data)).includes('x'));
  assert.deepEqual(bench.vaults.names(), ['default']);
});
