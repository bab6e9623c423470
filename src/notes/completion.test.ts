import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLog } from '../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../test/support/notes/notes-tools.ts';
import { notesCompletion } from './completion.ts';
import { FILE_TEMPLATE } from './resources.ts';

test('vaults and paths are completed, and nothing hidden is', async (context) => {
  const bench = await notesBench(context, {
    files: {
      'projects/garden.md': 'x',
      'projects/Gate.md': 'x',
      'people/gardener.md': 'x',
      '.hidden/garden.md': 'x',
      'a*b.md': 'x',
    },
  });
  await bench.vaults.create('work');
  const { log } = recordingLog();
  const complete = notesCompletion({ vaults: bench.vaults, log, now: () => new Date() });
  const ask = (name: string, value: string, known = {}) =>
    complete(
      { ref: { type: 'ref/resource', uri: FILE_TEMPLATE }, argument: { name, value }, known },
      { user: 'ada', incarnation: '1', clientId: 'test' },
    );
  const rows: [string, string, string[]][] = [
    ['vault', '', ['default', 'work']],
    ['vault', 'w', ['work']],
    ['vault', '../', []],
    ['path', 'projects/ga', ['projects/Gate.md', 'projects/garden.md']],
    ['path', 'garden', ['people/gardener.md', 'projects/garden.md']],
    ['path', 'PROJECTS/GATE', ['projects/Gate.md']],
    ['path', 'GARDENER', ['people/gardener.md']],
    ['path', 'a*b', ['a*b.md']],
    ['path', '.hid', []],
    ['path', '.hidden/', []],
    ['path', '../', []],
    ['path', '/etc/', []],
    ['path', '\0', []],
    ['other', 'x', []],
  ];
  for (const [name, value, expected] of rows) {
    assert.deepEqual([...(await ask(name, value))].sort(), expected, `${name} ${value}`);
  }
  assert.equal((await ask('path', '')).length, 4);
  assert.deepEqual(await ask('path', '*'.repeat(100_000)), []);
  assert.deepEqual(await ask('path', 'garden', { vault: '' }), await ask('path', 'garden'));
  for (const vault of ['work', 'none', '../']) {
    assert.deepEqual(await ask('path', 'garden', { vault }), [], vault);
  }
});

test('an answer that is not complete says so', async (context) => {
  const names = Array.from({ length: 120 }, (_, at) => `a/note ${at}.md`);
  const bench = await notesBench(context, {
    files: Object.fromEntries(names.map((name) => [name, 'x'])),
  });
  const { log } = recordingLog();
  const complete = notesCompletion({ vaults: bench.vaults, log, now: () => new Date() });
  for (const value of ['', 'a/', 'note']) {
    const ref = { type: 'ref/resource', uri: FILE_TEMPLATE } as const;
    const caller = { user: 'ada', incarnation: '1', clientId: 'test' };
    const found = await complete({ ref, argument: { name: 'path', value }, known: {} }, caller);
    assert.ok(found.length > 100, `${value}: ${found.length}`);
  }
});

test('a path is completed however many notes come before it', async (context) => {
  const files: Record<string, string> = { 'n/zebra.md': 'x' };
  for (let n = 0; n < 1200; n++) files[`n/a${n}.md`] = 'x';
  const { vaults } = await notesBench(context, { files });
  const { log } = recordingLog();
  const complete = notesCompletion({ vaults, log, now: () => new Date() });
  const values = await complete(
    {
      ref: { type: 'ref/resource', uri: FILE_TEMPLATE },
      argument: { name: 'path', value: 'n/z' },
      known: {},
    },
    { user: 'ada', incarnation: '1', clientId: 'test' },
  );
  assert.deepEqual(values, ['n/zebra.md']);
});
