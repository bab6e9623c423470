import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { contentHash } from '../files/content-hash.ts';

test('a note goes to the trash, and the notes that link to it are reported', async (context) => {
  const files = {
    'a.md': '# A\n',
    'b.md': '[[a]] [[a]]\n',
    'c/d.md': '[x](../a.md)\n',
    'e.md': '',
  };
  const bench = await notesBench(context, { files });
  const result = await bench.call('note_delete', { path: 'a' });
  assert.ok(!bench.exists('a.md'));
  assert.deepEqual(result.linked_from, ['b.md', 'c/d.md']);
  assert.deepEqual([result.path, result.content_hash], ['a.md', null]);
  assert.match(result.diff, /^-# A$/m);
  const [entry] = await bench.open.vault.trash.list();
  assert.deepEqual([entry?.trashId, entry?.path], [result.trash_id, 'a.md']);
});

test('an attachment is deleted by its whole name, without a difference', async (context) => {
  const png = Buffer.from('\x89PNG\r\n', 'latin1');
  const files = { 'attachments/a.png': png, 'b.md': '![[a.png]]\n' };
  const bench = await notesBench(context, { files });
  const result = await bench.call('note_delete', {
    path: 'attachments/a.png',
    content_hash: contentHash(png),
  });
  assert.ok(!bench.exists('attachments/a.png'));
  assert.deepEqual([result.diff, result.linked_from], ['', ['b.md']]);
});

test('a note that is not there, has changed, or is a folder is not deleted', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'x', 'f.md/b.md': 'y' } });
  for (const [args, code] of [
    [{ path: 'none' }, 'note_not_found'],
    [{ path: 'a', content_hash: contentHash(Buffer.from('old')) }, 'hash_mismatch'],
    [{ path: 'f.md' }, 'path_invalid'],
    [{ path: '.notes/index.db' }, 'path_hidden'],
    [{}, 'invalid_arguments'],
  ] as const) {
    assert.equal((await bench.refusal('note_delete', args)).code, code, JSON.stringify(args));
  }
  assert.ok(bench.exists('a.md') && bench.exists('f.md/b.md'));
});

test('a dry run has no trash id and deletes nothing', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'x', 'b.md': '[[a]]' } });
  const result = await bench.call('note_delete', { path: 'a', dry_run: true });
  assert.deepEqual([result.trash_id, result.change_id, result.linked_from], [null, null, ['b.md']]);
  assert.equal(await bench.text('a.md'), 'x');
  assert.deepEqual(await bench.open.vault.trash.list(), []);
});

test('while the index is built, linked_from is said to lack notes', async (context) => {
  // So many that the deletion is done first, even on a busy machine.
  const many = Array.from({ length: 1_000 }, (_, at) => [`many/${at}.md`, 'x '.repeat(500)]);
  const files = { ...Object.fromEntries(many), 'a.md': 'x', 'b.md': '[[a]]' };
  const bench = await notesBench(context, { files });
  const building = bench.open.index.rebuild();
  const { warnings } = await bench.call('note_delete', { path: 'a' });
  assert.deepEqual(warnings, ['the index is being built; linked_from may be incomplete']);
  await building;
  assert.deepEqual((await bench.call('note_delete', { path: 'b' })).warnings, []);
});
