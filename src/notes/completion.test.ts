import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLog } from '../../test/support/notes-storage.ts';
import { notesBench } from '../../test/support/notes-tools.ts';
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
  const ask = (name: string, value: string) =>
    complete(
      { ref: { type: 'ref/resource', uri: FILE_TEMPLATE }, argument: { name, value } },
      { user: 'ada', incarnation: '1', clientId: 'test' },
    );
  const rows: [string, string, string[]][] = [
    ['vault', '', ['default', 'work']],
    ['vault', 'w', ['work']],
    ['vault', '../', []],
    ['path', 'projects/ga', ['projects/Gate.md', 'projects/garden.md']],
    ['path', 'garden', ['people/gardener.md', 'projects/garden.md']],
    ['path', 'PROJECTS/GATE', []],
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
});
