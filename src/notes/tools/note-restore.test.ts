import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { contentHash } from '../files/content-hash.ts';

const git = { author: { name: 'Ada', email: 'ada@a.example' } };
const DAY_MS = 24 * 60 * 60 * 1000;

test('a note comes back from the trash, where it was or elsewhere', async (context) => {
  const bench = await notesBench(context, { files: { 'f/a.md': 'one\r\n' } });
  const { trash_id } = await bench.call('note_delete', { path: 'f/a' });
  const wrong = await bench.refusal('note_restore', { trash_id, path: 'b' });
  assert.equal(wrong.code, 'invalid_arguments');
  const result = await bench.call('note_restore', { trash_id, path: 'f/a' });
  assert.deepEqual([result.path, await bench.text('f/a.md')], ['f/a.md', 'one\r\n']);
  assert.equal(result.content_hash, contentHash(Buffer.from('one\r\n')));
  const again = await bench.call('note_delete', { path: 'f/a' });
  const moved = await bench.call('note_restore', { trash_id: again.trash_id, to: 'g/b' });
  assert.deepEqual([moved.path, await bench.text('g/b.md')], ['g/b.md', 'one\r\n']);
});

test('a note that goes back where it was has the very name it had', async (context) => {
  const path = 'cafe\u0301.md';
  const bench = await notesBench(context, { files: { [path]: 'x' } });
  const { trash_id } = await bench.call('note_delete', { path });
  assert.equal((await bench.call('note_restore', { trash_id })).path, path);
  assert.equal(await bench.text(path), 'x');
});

test('what is in the trash never replaces a note', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'old', 'B.md': 'other' } });
  const { trash_id } = await bench.call('note_delete', { path: 'a' });
  await bench.put('a.md', 'new');
  for (const to of [{}, { to: 'b.md' }, { to: 'a' }]) {
    assert.equal((await bench.refusal('note_restore', { trash_id, ...to })).code, 'note_exists');
  }
  assert.deepEqual([await bench.text('a.md'), await bench.text('B.md')], ['new', 'other']);
});

test('what has lain in the trash for thirty days cannot be had back', async (context) => {
  let at = Date.UTC(2026, 10, 15);
  const bench = await notesBench(context, { files: { 'a.md': 'x' }, now: () => new Date(at) });
  const { trash_id } = await bench.call('note_delete', { path: 'a' });
  at += 31 * DAY_MS;
  for (const id of [trash_id, '', '../..', '20261115T000000000Z-00000000']) {
    const { code } = await bench.refusal('note_restore', { trash_id: id });
    assert.equal(code, 'trash_expired', id);
  }
  at -= 2 * DAY_MS;
  await bench.call('note_restore', { trash_id });
  assert.equal(await bench.text('a.md'), 'x');
});

test('a note is as it was in a commit, also after it was renamed or deleted', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': '# One\n\ntext\n' }, git });
  await bench.open.vault.git!.settled();
  const first = bench.open.vault.git!.state().head!;
  const hash = contentHash(await bench.bytes('a.md'));
  await bench.call('note_write', { path: 'a', content: '# One\n\nmore\n', content_hash: hash });
  await bench.open.vault.git!.settled();

  const other = await bench.refusal('note_restore', {
    path: 'a',
    revision: first,
    content_hash: hash,
  });
  assert.equal(other.code, 'hash_mismatch');
  const copy = await bench.call('note_restore', { path: 'a', revision: first, to: 'copy' });
  assert.deepEqual([copy.path, await bench.text('copy.md')], ['copy.md', '# One\n\ntext\n']);
  const back = await bench.call('note_restore', { path: 'a', revision: first });
  assert.equal(await bench.text('a.md'), '# One\n\ntext\n');
  assert.equal(back.content_hash, hash);
  const same = await bench.call('note_restore', { path: 'a', revision: first });
  assert.deepEqual([same.change_id, same.content_hash], [null, hash]);

  await bench.open.vault.changes.run({ tool: 'test', scope: 'vault' }, (transaction) =>
    transaction.move('a.md' as never, 'z/new.md' as never),
  );
  await bench.open.vault.git!.settled();
  await bench.call('note_restore', { path: 'z/new.md', revision: first });
  assert.equal(await bench.text('z/new.md'), '# One\n\ntext\n');
  await bench.call('note_restore', { path: 'a.md', revision: first });
  assert.equal(await bench.text('a.md'), '# One\n\ntext\n');

  for (const [args, code] of [
    [{ path: 'a', revision: first, to: 'copy' }, 'note_exists'],
    [{ path: 'a', revision: 'f'.repeat(40) }, 'revision_not_found'],
    [{ path: 'a', revision: 'HEAD' }, 'revision_not_found'],
    [{ path: 'a', revision: '--output=x' }, 'revision_not_found'],
    [{ path: 'never', revision: first }, 'revision_not_found'],
    [{ path: '.git/config', revision: first }, 'path_hidden'],
    [{ path: 'a', revision: first, to: '../x' }, 'path_invalid'],
  ] as const) {
    assert.equal((await bench.refusal('note_restore', args)).code, code, JSON.stringify(args));
  }
});

for (const [twin, path] of [
  ['foo.md', 'Foo.md'],
  ['\u00e9.md', 'e\u0301.md'],
] as const) {
  test(`${path} comes back beside ${twin} if both were there before`, async (context) => {
    const bench = await notesBench(context, { files: { [twin]: 'twin', [path]: 'x' } });
    const { trash_id } = await bench.call('note_delete', { path });
    await bench.call('note_restore', { trash_id });
    assert.equal(await bench.text(path), 'x');
    assert.equal(await bench.text(twin), 'twin');
  });

  test(`${path} does not come back beside ${twin} that came later`, async (context) => {
    const bench = await notesBench(context, { files: { [path]: 'x' } });
    const { trash_id } = await bench.call('note_delete', { path });
    await bench.put(twin, 'twin');
    const { code } = await bench.refusal('note_restore', { trash_id });
    assert.equal(code, 'note_exists');
    assert.deepEqual(await tree(bench.open.vault.root), [twin]);
  });
}

test('without git there are no revisions, and one source must be named', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'x' } });
  const revision = 'f'.repeat(40);
  for (const [args, code] of [
    [{ path: 'a', revision }, 'versioning_off'],
    [{ path: 'a' }, 'invalid_arguments'],
    [{ revision }, 'invalid_arguments'],
    [{ path: 'a', revision, trash_id: 'x' }, 'invalid_arguments'],
    [{ trash_id: 'x', content_hash: 'x' }, 'invalid_arguments'],
    [{ path: 'a', revision, to: 'b', content_hash: 'x' }, 'invalid_arguments'],
  ] as const) {
    assert.equal((await bench.refusal('note_restore', args)).code, code, JSON.stringify(args));
  }
});

test('what another note was is no revision of this one, however alike they are', async (context) => {
  const form = '# Meeting\n\n## Present\n\n## Agenda\n\n## Decisions\n\n## Next steps\n';
  const bench = await notesBench(context, { files: { 'templates/meeting.md': form }, git });
  const alpha = await bench.call('note_create', { path: 'alpha', template: 'templates/meeting' });
  const beta = await bench.call('note_create', { path: 'beta', template: 'templates/meeting' });
  await bench.open.vault.git!.settled();
  const revision = bench.open.vault.git!.commitOf(alpha.change_id);
  const { code } = await bench.refusal('note_restore', { path: 'beta', revision });
  assert.equal(code, 'revision_not_found');
  const { revisions } = await bench.call('note_history', { path: 'beta' });
  assert.deepEqual(
    revisions.map(({ change_id }: { change_id: string }) => change_id),
    [beta.change_id],
  );
});

test('a file keeps its extension wherever it comes back', async (context) => {
  const files = { 'a.md': '<svg/>', 'b.png': 'b', 'c.md': 'c' };
  const bench = await notesBench(context, { files, git });
  await bench.open.vault.git!.settled();
  const revision = bench.open.vault.git!.state().head!;
  const note = await bench.call('note_delete', { path: 'c' });
  const image = await bench.call('note_delete', { path: 'b.png' });
  for (const args of [
    { path: 'a', revision, to: 'hi/x.svg' },
    { trash_id: note.trash_id, to: 'hi/x.svg' },
    { path: 'b.png', revision, to: 'x.md' },
    { path: 'b.png', revision, to: 'x' },
    { trash_id: image.trash_id, to: 'x.md' },
  ]) {
    const { code } = await bench.refusal('note_restore', args);
    assert.equal(code, 'path_invalid', JSON.stringify(args));
  }
  const { path } = await bench.call('note_restore', { trash_id: image.trash_id, to: 'f/x.PNG' });
  assert.equal(path, 'f/x.PNG');
});
