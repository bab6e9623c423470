/** Notes that are not UTF-8: every tool that edits refuses them, and none changes a byte. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../support/notes/notes-tools.ts';

const TEXT = '# Café\n\n## Part\n\n- [ ] task\n\nsee [[other]] and [[a]]\n';
const NOTES: Readonly<Record<string, Buffer>> = {
  'UTF-16 with a mark': Buffer.from(`\ufeff${TEXT}`, 'utf16le'),
  'UTF-16, big end first': Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16(),
  'UTF-16 without a mark': Buffer.from(TEXT, 'utf16le'),
  'UTF-16 without a byte of zero': Buffer.from('\ufeff日本語', 'utf16le'),
  'Windows-1252': Buffer.from(TEXT, 'latin1'),
  'UTF-8 with one other byte': Buffer.concat([Buffer.from(TEXT), Buffer.from([0xff, 0x0a])]),
};

const EDITS: readonly (readonly [tool: string, args: object])[] = [
  ['note_write', { path: 'a', content: 'ü' }],
  ['note_edit', { path: 'a', edits: [{ old_string: 'see', new_string: 'ü' }] }],
  ['note_section_edit', { path: 'a', mode: 'append_to_note', content: 'ü' }],
  ['note_section_edit', { path: 'a', mode: 'delete_section', heading: 'Part' }],
  ['note_section_edit', { path: 'a', mode: 'rename_heading', heading: 'Part', to: 'ü' }],
  ['note_section_edit', { path: 'a', mode: 'move_section', heading: 'Part', to: 'other.md' }],
  ['note_section_edit', { path: 'other', mode: 'move_section', heading: 'Part', to: 'a.md' }],
  ['note_frontmatter', { path: 'a', set: { key: 'ü' } }],
  ['task_toggle', { path: 'a', line: 5 }],
  ['note_merge', { path: 'a', into: 'other' }],
  ['note_merge', { path: 'other', into: 'a' }],
  ['note_split', { path: 'a', level: 2 }],
  ['note_create', { path: 'new', template: 'a' }],
];

for (const [encoding, bytes] of Object.entries(NOTES)) {
  describe(encoding, () => {
    test('every tool that edits refuses alike, and the bytes stay', async (context) => {
      const other = '# Other\n\n## Part\n\nü\n';
      const bench = await notesBench(context, {
        files: { 'a.md': bytes, 'other.md': other, 'inbox.md': bytes },
      });
      const { content_hash } = await bench.call('note_read', { path: 'a' });
      for (const [tool, args] of EDITS) {
        const hash = tool === 'note_write' ? { content_hash } : {};
        for (const dry_run of [true, false]) {
          const { code, message } = await bench.refusal(tool, { ...args, ...hash, dry_run });
          assert.equal(code, 'not_utf8', `${tool} ${JSON.stringify(args)}: ${message}`);
          assert.match(message, /convert it to UTF-8 in an editor$/);
        }
      }
      assert.equal((await bench.refusal('note_capture', { text: 'ü' })).code, 'not_utf8');
      for (const path of ['a.md', 'inbox.md']) assert.ok((await bench.bytes(path)).equals(bytes));
      assert.equal(await bench.text('other.md'), other);
      assert.ok(!bench.exists('new.md'));
    });

    test('it is read with a warning, moved, deleted, restored and undone byte for byte', async (context) => {
      const bench = await notesBench(context, { files: { 'a.md': bytes, 'other.md': 'x\n' } });
      const { warnings } = await bench.call('note_read', { path: 'a' });
      assert.match(warnings[0], /UTF-8/);
      await bench.call('note_move', { path: 'a', to: 'b' });
      const moved = await bench.call('note_move', { path: 'other', to: 'öther' });
      const isRead = encoding === 'Windows-1252' || encoding.startsWith('UTF-8');
      if (isRead)
        assert.match(moved.warnings[0], /links of "b\.md" were not updated; it is not UTF-8/);
      else assert.match(moved.warnings[0], /1 note is not indexed; links in it were not checked/);
      const { trash_id } = await bench.call('note_delete', { path: 'b' });
      await bench.call('note_restore', { trash_id });
      const { change_id } = await bench.call('note_delete', { path: 'b' });
      await bench.call('change_undo', { change_id });
      assert.ok((await bench.bytes('b.md')).equals(bytes));
    });
  });
}

test('vault_replace leaves them alone and says so', async (context) => {
  const bytes = Buffer.from('caf\xe9 colour\n', 'latin1');
  const bench = await notesBench(context, { files: { 'a.md': bytes, 'b.md': 'colour\n' } });
  const plan = { pattern: 'colour', replace: 'couleur é' };
  const { plan_hash, warnings } = await bench.call('vault_replace', plan);
  assert.deepEqual(warnings, ['"a.md" is not UTF-8 and is left alone']);
  await bench.call('vault_replace', { ...plan, dry_run: false, plan_hash });
  assert.ok((await bench.bytes('a.md')).equals(bytes));
  assert.equal(await bench.text('b.md'), 'couleur é\n');
});
