import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const append = { path: 'a.md', mode: 'append_to_note', content: 'more' };

test('an undo is a change that can be undone', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { change_id } = await bench.call('note_section_edit', append);
  const undone = await bench.call('change_undo', { change_id });
  assert.equal(await bench.text('a.md'), 'text\n');
  assert.deepEqual([undone.path, undone.paths, undone.files], ['a.md', ['a.md'], 1]);
  assert.match(undone.diff, /^-more$/m);
  await bench.call('change_undo', { change_id: undone.change_id });
  assert.equal(await bench.text('a.md'), 'text\n\nmore\n');
});

test('a change over two notes is taken back in both', async (context) => {
  const files = { 'a.md': '# A\n\n## S\n\nx\n', 'b.md': '# B\n' };
  const bench = await notesBench(context, { files });
  const move = { path: 'a', mode: 'move_section', heading: 'S', to: 'b.md' };
  const { change_id } = await bench.call('note_section_edit', move);
  const undone = await bench.call('change_undo', { change_id });
  assert.deepEqual(undone.paths.toSorted(), ['a.md', 'b.md']);
  assert.equal(await bench.text('a.md'), files['a.md']);
  assert.equal(await bench.text('b.md'), files['b.md']);
});

test('a note that has changed since is undo_conflict, and stays', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { change_id } = await bench.call('note_section_edit', append);
  await bench.put('a.md', 'theirs\n');
  const { code, data } = await bench.refusal('change_undo', { change_id });
  assert.deepEqual([code, data.path], ['undo_conflict', 'a.md']);
  assert.equal(await bench.text('a.md'), 'theirs\n');
});

test('a deletion whose undo was undone can be undone again, as often as one likes', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { change_id } = await bench.call('note_delete', { path: 'a' });
  for (let time = 0; time < 3; time++) {
    const undone = await bench.call('change_undo', { change_id });
    assert.equal(await bench.text('a.md'), 'text\n');
    await bench.call('change_undo', { change_id: undone.change_id });
    assert.ok(!bench.exists('a.md'));
  }
});

test('changes and undos of a note that came and went are undone in reverse', async (context) => {
  const bench = await notesBench(context);
  const first = await bench.call('note_create', { path: 'a', content: 'text' });
  const ids = [first.change_id];
  for (let time = 0; time < 4; time++) {
    const { change_id } = await bench.call('change_undo', { change_id: ids.at(-1) });
    ids.push(change_id);
  }
  assert.equal(await bench.text('a.md'), 'text');
  for (const change_id of ids.reverse()) await bench.call('change_undo', { change_id });
  assert.ok(!bench.exists('a.md'));
});

for (const [where, path, to] of [
  ['elsewhere', 'a/b.md', 'c/d.md'],
  ['in a folder whose name is decomposed', 'e\u0301/b.md', undefined],
] as const) {
  test(`a deletion can be undone after the undo of a restore ${where}`, async (context) => {
    const bench = await notesBench(context, { files: { [path]: 'text\n' } });
    const { change_id, trash_id } = await bench.call('note_delete', { path });
    const restored = await bench.call('note_restore', { trash_id, ...(to && { to }) });
    await bench.call('change_undo', { change_id: restored.change_id });
    await bench.call('change_undo', { change_id });
    assert.deepEqual(await tree(bench.open.vault.root), [path]);
  });
}

test('a deletion that is undone already is undo_conflict', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { change_id } = await bench.call('note_delete', { path: 'a' });
  await bench.call('change_undo', { change_id });
  const { code, data } = await bench.refusal('change_undo', { change_id });
  assert.deepEqual([code, data.path], ['undo_conflict', 'a.md']);
});

test('an id that was made up is undo_expired', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'text\n' } });
  const { change_id } = await bench.call('note_section_edit', append);
  const forged = change_id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
  for (const id of ['', 'x', '../1', '1-0-00000000', '999999999-zzzzzzzz-00000000', forged]) {
    assert.equal((await bench.refusal('change_undo', { change_id: id })).code, 'undo_expired', id);
  }
  assert.equal((await bench.refusal('change_undo')).code, 'invalid_arguments');
  assert.equal(await bench.text('a.md'), 'text\n\nmore\n');
});
