import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { contentHash } from '../files/content-hash.ts';

const OLD = '# Plan\n\nold text\n';
const OLD_HASH = contentHash(Buffer.from(OLD));

test('the note holds exactly the new text, and the result is W', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': OLD } });
  const content = '# Plan\r\nnew\u00a0text';
  const result = await bench.call('note_write', { path: 'a', content, content_hash: OLD_HASH });
  assert.equal(await bench.text('a.md'), content);
  assert.deepEqual(Object.keys(result), [
    ...['vault', 'path', 'content_hash', 'change_id', 'diff', 'warnings', 'git'],
  ]);
  assert.deepEqual([result.vault, result.path], ['default', 'a.md']);
  assert.equal(result.content_hash, contentHash(Buffer.from(content)));
  assert.match(result.diff, /^-old text$/m);
  assert.deepEqual(result.warnings, ['the line ends changed from LF to CRLF']);
  assert.deepEqual(result.git, { commit: null, push: 'off' });
});

test('a note that has changed since is left alone, and the refusal shows how', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': OLD } });
  await bench.open.vault.find('a.md' as never);
  await writeFile(join(bench.data, 'default/a.md'), '# Plan\n\ntheir text\n');
  const args = { path: 'a.md', content: 'mine', content_hash: OLD_HASH };
  const { code, data } = await bench.refusal('note_write', args);
  assert.equal(code, 'hash_mismatch');
  assert.match(data.difference, /^-old text$/m);
  assert.match(data.difference, /^\+their text$/m);
  assert.equal(data.content_hash, contentHash(await bench.bytes('a.md')));
  assert.equal(await bench.text('a.md'), '# Plan\n\ntheir text\n');
});

test('of a version the server has not seen there is no difference to show', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': OLD } });
  for (const content_hash of ['', 'x', 'f'.repeat(64)]) {
    const args = { path: 'a.md', content: 'mine', content_hash };
    const { code, data } = await bench.refusal('note_write', args);
    assert.deepEqual([code, data.difference], ['hash_mismatch', null]);
  }
  assert.equal(await bench.text('a.md'), OLD);
});

test('the hash must be given, and the note must be there', async (context) => {
  const bench = await notesBench(context, { files: { 'garden.md': OLD } });
  const without = await bench.refusal('note_write', { path: 'garden.md', content: 'x' });
  assert.equal(without.code, 'invalid_arguments');
  const args = { path: 'gardens', content: 'x', content_hash: OLD_HASH };
  const { code, data } = await bench.refusal('note_write', args);
  assert.equal(code, 'note_not_found');
  assert.deepEqual(data.did_you_mean, ['garden.md']);
});

test('the same text again is no change', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': OLD } });
  const args = { path: 'a.md', content: OLD, content_hash: OLD_HASH };
  const result = await bench.call('note_write', args);
  assert.deepEqual([result.change_id, result.diff], [null, '']);
  assert.equal(result.content_hash, OLD_HASH);
});

test('a dry run warns of lost headings as the call does, whatever the note is called', async (context) => {
  const bench = await notesBench(context, {
    files: {
      'a.md': '---\naliases: [Nick]\n---\n# Name\n\n## h\n',
      'b.md': '[[Nick#h]]',
      'c.md': '[[Name#h]]',
      'd.md': '[[a#h]]',
    },
  });
  const content_hash = contentHash(await bench.bytes('a.md'));
  const args = { path: 'a', content: '# Name\n', content_hash };
  const shown = await bench.call('note_write', { ...args, dry_run: true });
  const { warnings } = await bench.call('note_write', args);
  assert.deepEqual(warnings, ['links to a removed heading remain in "c.md", "d.md"']);
  assert.deepEqual(shown.warnings, warnings);
});

test('a link by a name that the note loses in the same write is warned of, also in a dry run', async (context) => {
  const text = '---\naliases: [Nick]\n---\n# Name\n';
  const bench = await notesBench(context, { files: { 'a.md': text, 'b.md': '# Other\n' } });
  const content_hash = contentHash(Buffer.from(text));
  const args = { path: 'a', content: '# Other\n\n[[Nick]] [[Name]] [[other]]\n', content_hash };
  for (const dry_run of [true, false]) {
    const { warnings } = await bench.call('note_write', { ...args, dry_run });
    assert.deepEqual(warnings, [
      'no file exists yet for the link to "Nick" (line 3), "Name" (line 3)',
    ]);
  }
});
