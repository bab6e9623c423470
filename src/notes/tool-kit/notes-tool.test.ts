import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

test('of a call are kept its tool, vault, path and outcome', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'x' } });
  await bench.call('note_read', { path: 'a.md' });
  await bench.refusal('note_read', { path: 'b.md' });
  const kept = bench.recent.ofUser({ user: 'ada', incarnation: '1' });
  assert.deepEqual(
    kept.map(({ tool, target, place, refusal }) => [tool, target, place, refusal]),
    [
      ['note_read', 'default', 'b.md', 'note_not_found'],
      ['note_read', 'default', 'a.md', undefined],
    ],
  );
  assert.ok(kept[1]!.bytes > 0);
});
