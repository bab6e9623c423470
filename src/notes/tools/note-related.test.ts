import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

describe('note_related', () => {
  test('notes near a note and near a text, with the reasons', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'bees.md': '# Bees\n\npollination of flowering meadows #insects\n',
        'meadow.md': '# Meadow\n\nflowering meadows need pollination\n',
        'wasps.md': '# Wasps\n\n#insects\n',
        'tax.md': '# Tax\n\nreceipts\n',
      },
    });
    const near = await call('note_related', { path: 'Bees' });
    assert.equal(near.path, 'bees.md');
    const reasons = Object.fromEntries(
      near.related.map((one: { path: string; reasons: string[] }) => [one.path, one.reasons]),
    );
    assert.deepEqual(reasons, { 'meadow.md': ['words'], 'wasps.md': ['tags', 'words'] });
    const text = await call('note_related', { text: 'pollination in meadows', limit: 1 });
    assert.equal(text.related.length, 1);
    assert.equal(text.path, undefined);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: { 'hub.md': 'x' } });
    const wrong: object[] = [
      ...[{}, { path: 'hub', text: 'x' }, { text: '' }, { text: 'x'.repeat(20_001) }],
      ...[{ path: 'hub', limit: 51 }],
    ];
    for (const args of wrong) {
      assert.equal((await refusal('note_related', args)).code, 'invalid_arguments');
    }
    assert.equal((await refusal('note_related', { path: 'gone' })).code, 'note_not_found');
  });
});
