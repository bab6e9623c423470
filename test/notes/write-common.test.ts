/** What every tool that writes a note keeps to: dry runs, hashes, undo, the audit line. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentHash } from '../../src/notes/files/content-hash.ts';
import { dumpVaultIndex } from '../support/notes/index-dump.ts';
import { notesBench } from '../support/notes/notes-tools.ts';
import {
  allFiles,
  FILES,
  resetFiles,
  visibleFiles,
  WRITE_CALLS,
} from '../support/notes/write-calls.ts';

const git = { author: { name: 'Ada', email: 'ada@a.example' } };

test('a dry run writes nothing and shows what the call then does', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  for (const { tool, args } of WRITE_CALLS) {
    await resetFiles(bench);
    const given = await args(bench);
    const [files, index] = [await allFiles(bench), dumpVaultIndex(bench.open.vault.root)];
    const shown = await bench.call(tool, { ...given, dry_run: true });
    assert.deepEqual(await allFiles(bench), files, tool);
    assert.deepEqual(dumpVaultIndex(bench.open.vault.root), index, tool);
    assert.equal(shown.change_id, null, tool);
    const done = await bench.call(tool, given);
    assert.notEqual(done.change_id, null, tool);
    for (const key of ['path', 'content_hash', 'diff', 'warnings', 'linked_from', 'similar']) {
      assert.deepEqual(shown[key], done[key], `${tool}: ${key}`);
    }
  }
});

test('the index is as a rebuild would make it after every tool', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  const { index, vault } = bench.open;
  for (const { tool, args } of WRITE_CALLS) {
    await resetFiles(bench);
    await bench.call(tool, await args(bench));
    const kept = dumpVaultIndex(vault.root);
    await index.rebuild();
    assert.deepEqual(kept, dumpVaultIndex(vault.root), tool);
  }
});

test('the undo of every tool brings back every byte', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  for (const { tool, args } of WRITE_CALLS) {
    await resetFiles(bench);
    const given = await args(bench);
    const before = await visibleFiles(bench);
    const { change_id } = await bench.call(tool, given);
    assert.notDeepEqual(await visibleFiles(bench), before, tool);
    await bench.call('change_undo', { change_id });
    assert.deepEqual(await visibleFiles(bench), before, tool);
  }
});

test('a hash that is not the file’s is hash_mismatch, and its own is taken', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  for (const { tool, args, hashed } of WRITE_CALLS) {
    if (hashed === undefined) continue;
    await resetFiles(bench);
    const given = await args(bench);
    const before = await visibleFiles(bench);
    const old = contentHash(Buffer.from('another version'));
    const refused = await bench.refusal(tool, { ...given, content_hash: old });
    assert.equal(refused.code, 'hash_mismatch', tool);
    assert.equal(refused.data.content_hash, contentHash(await bench.bytes(hashed)), tool);
    assert.deepEqual(await visibleFiles(bench), before, tool);
    await bench.call(tool, { ...given, content_hash: contentHash(await bench.bytes(hashed)) });
  }
});

test('what changed since is shown by every tool that is given a hash', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  for (const { tool, args, hashed } of WRITE_CALLS) {
    if (hashed !== 'a.md') continue;
    await resetFiles(bench);
    const given = await args(bench);
    const read = await bench.open.vault.find('a.md' as never);
    const theirs = Buffer.concat([read!.bytes, Buffer.from('\r\ntheirs')]);
    await writeFile(join(bench.data, 'default/a.md'), theirs);
    const refused = await bench.refusal(tool, { ...given, content_hash: read!.contentHash });
    assert.equal(refused.code, 'hash_mismatch', tool);
    assert.match(refused.data.difference, /^\+theirs$/m, tool);
    assert.deepEqual(await bench.bytes('a.md'), theirs, tool);
  }
});

test('with git every write names its commit once it is made', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  const changes: [string, string][] = [];
  for (const { tool, args } of WRITE_CALLS) {
    await resetFiles(bench);
    const { change_id, git: state } = await bench.call(tool, await args(bench));
    assert.equal(state.push, 'off', tool);
    changes.push([tool, change_id]);
  }
  await bench.open.vault.git!.settled();
  for (const [tool, change] of changes) {
    assert.match(bench.open.vault.git!.commitOf(change) ?? '', /^[0-9a-f]{40}$/, tool);
  }
});

test('every call has one audit line, which holds no content', async (context) => {
  const bench = await notesBench(context, { files: FILES, git });
  const secret = 'zanzibar';
  const calls: [string, object][] = [
    ['note_create', { path: 'n.md', content: secret, title: 'T' }],
    ['note_capture', { text: secret, source: secret }],
    ['note_edit', { path: 'a.md', edits: [{ old_string: secret, new_string: secret }] }],
    ['note_write', { path: 'a.md', content: secret, content_hash: secret }],
    ['note_frontmatter', { path: 'a.md', set: { [secret]: secret } }],
    ['task_toggle', { path: 'a.md', text: secret }],
    ['attachment_put', { path: 'x.png', data: secret }],
  ];
  for (const [tool, args] of calls) {
    const before = bench.lines().length;
    await bench.answer(tool, args);
    const lines = bench.lines().slice(before);
    assert.equal(lines.filter(({ event }) => event === 'tool_call').length, 1, tool);
    assert.ok(!JSON.stringify(lines).includes(secret), tool);
  }
});
