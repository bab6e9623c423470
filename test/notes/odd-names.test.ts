/** Notes and folders whose names are no valid paths are reported, and hinder nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/notes/notes-storage.ts';
import { notesBench } from '../support/notes/notes-tools.ts';

const CONTROL = 'the path contains a control character; remove it';
const UNICODE = 'the path is not valid unicode; use another name';

test('names with line breaks or invalid UTF-8 are reported with the reason', async (context) => {
  const data = await temporaryDirectory(context);
  const root = join(data, 'default');
  mkdirSync(join(root, 'fold\ner'), { recursive: true });
  writeFileSync(join(root, 'new\nline.md'), '# N\n');
  writeFileSync(join(root, 'fold\ner/inside.md'), '# I\n');
  writeFileSync(
    Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]),
    'x',
  );
  writeFileSync(join(root, 'good.md'), '# Good\n\n[[new]]\n');
  const bench = await notesBench(context, { data });
  const { index } = await bench.call('vault_stats');
  assert.deepEqual(index.skipped_notes, [
    { path: 'caf\ufffd.md', reason: UNICODE },
    { path: 'fold\ner/*.md', reason: CONTROL },
    { path: 'new\nline.md', reason: CONTROL },
  ]);
  const { items } = await bench.call('note_list');
  assert.deepEqual(items.map(({ path }: { path: string }) => path).includes('new\nline.md'), true);
  const moved = await bench.call('note_move', { path: 'good', to: 'sub/good' });
  assert.match(moved.warnings[0], /3 notes are not indexed; links in them were not checked/);
});

test('an edit of a note over 4 MB is refused at once, and it can still be read and deleted', async (context) => {
  const files = { 'big.md': '- line of a log\n'.repeat(300 * 1024), 'a.md': 'x' };
  const bench = await notesBench(context, { files });
  for (const args of [{ mode: 'append_to_note' }, { mode: 'append_to_section', heading: 'X' }]) {
    const edit = { path: 'big', content: 'x', ...args };
    const { code, data } = await bench.refusal('note_section_edit', edit);
    assert.deepEqual([code, data.max_bytes], ['too_large', 4 * 1024 * 1024]);
  }
  assert.match((await bench.call('note_read', { path: 'big' })).content, /^- line of a log/);
  await bench.call('note_delete', { path: 'big' });
});
