/** Read-only mode, folders that may be written, tools that are switched off, read-only filesystems. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesTools } from '../../src/notes/tools.ts';
import {
  dataDirectory,
  notesEnvironment,
  place,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { recordingLog, tree } from '../support/notes/notes-storage.ts';
import { notesBench } from '../support/notes/notes-tools.ts';

const FILES = { 'default/a.md': '# A\n\n[[b]]\n', 'default/b.md': '# B\n\n[[a]]\n' };

test('with NOTES_READONLY only tools that read are offered, and nothing writes', async (context) => {
  const files = { 'a.md': '# A\n', 'b.md': '[[a]]\n' };
  const bench = await notesBench(context, { files, policy: { readOnly: true } });
  const offered = notesTools({
    vaults: bench.vaults,
    log: recordingLog().log,
    now: () => new Date(),
  });
  assert.deepEqual(
    offered.map(({ name }) => name),
    [...bench.tools.keys()],
  );
  assert.ok(offered.length > 10 && offered.every(({ annotations }) => annotations.readOnlyHint));
  const { changes } = bench.open.vault;
  const scope = 'vault' as const;
  await assert.rejects(
    changes.run({ tool: 'x', scope }, async () => {}),
    { code: 'read_only' },
  );
  await assert.rejects(changes.undo('1-1-00000000'), { code: 'read_only' });
  await assert.rejects(bench.vaults.create('new'), { code: 'read_only' });
  assert.equal((await bench.call('note_search', { query: 'a' })).hits.length, 2);
  assert.equal((await bench.call('vault_list')).vaults[0].read_only, true);
  assert.deepEqual(await tree(bench.open.vault.root), ['a.md', 'b.md']);
});

test('with NOTES_WRITE only files of these folders are written, moved and removed', async (context) => {
  const files = { 'Inbox/a.md': '# A\n', 'Inbox/b.md': 'x\n', 'Archive/c.md': '# C\n\n[[a]]\n' };
  const policy = { folders: ['Inbox/**', 'Journal/**', 'todo.md'] };
  const bench = await notesBench(context, { files, policy });
  const append = (path: string) => ({ path, mode: 'append_to_note', content: 'y' });
  const allowed: [string, object][] = [
    ['note_section_edit', append('inbox/A')],
    ['note_create', { path: 'Journal/deep/x', content: 'x' }],
    ['note_create', { path: 'todo', content: 'x' }],
    ['note_move', { path: 'Inbox/b', to: 'Journal/b' }],
    ['note_delete', { path: 'Journal/b' }],
    ['note_move', { path: 'Inbox/a', to: 'Inbox/d', update_links: false }],
  ];
  for (const [tool, args] of allowed) await bench.call(tool, args);
  const refused: [string, object][] = [
    ['note_section_edit', append('Archive/c')],
    ['note_create', { path: 'x', content: 'x' }],
    ['note_create', { path: 'Inbox.md', content: 'x' }],
    ['note_create', { path: 'Archive/Inbox/x', content: 'x' }],
    ['note_move', { path: 'Archive/c', to: 'Inbox/c' }],
    ['note_move', { path: 'Inbox/d', to: 'Archive/d' }],
    ['note_move', { path: 'Inbox/', to: 'Archive/Inbox' }],
    ['note_delete', { path: 'Archive/c' }],
    ['note_merge', { path: 'Archive/c', into: 'Inbox/d' }],
    ['note_capture', { text: 'x' }],
    ['attachment_put', { path: 'x.png', data: 'iVBORw0KGgo=' }],
  ];
  const before = await tree(bench.open.vault.root);
  for (const [tool, args] of refused) {
    for (const dry_run of [true, false]) {
      const { code, message } = await bench.refusal(tool, { ...args, dry_run });
      assert.equal(code, 'read_only', `${tool} ${message}`);
      assert.match(message, /only Inbox\/\*\*, Journal\/\*\*, todo\.md; choose a path there$/);
    }
  }
  assert.deepEqual(await tree(bench.open.vault.root), before);
  assert.equal(bench.tools.has('vault_create'), false);
});

test('a tool of NOTES_TOOLS is neither listed nor called', async (context) => {
  const env = { NOTES_TOOLS: '-vault_replace,-note_delete' };
  const notes = await startNotes(context, { files: FILES, env });
  const { tools } = await notes.rpc('tools/list');
  const names = tools.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('note_edit') && !names.includes('vault_replace'));
  const call = notes.rpc('tools/call', { name: 'note_delete', arguments: { path: 'a' } });
  await assert.rejects(call, /unknown tool .*note_delete/);
});

const MOUNTS = ['unshare', '--mount', '--map-root-user', '--propagation', 'private'];
const canMount = spawnSync(MOUNTS[0]!, [...MOUNTS.slice(1), 'true']).status === 0;

for (const mounted of ['', 'default']) {
  const what = mounted === '' ? 'data directory' : 'vault';
  test(`a ${what} on a read-only filesystem is served read-only`, {
    skip: canMount ? false : 'needs the right to mount',
  }, async (context) => {
    const data = dataDirectory(context);
    place(data, FILES);
    const remount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const wrapper = [...MOUNTS, 'sh', '-c', remount, join(data, mounted)];
    const notes = await startNotes(context, { data, wrapper, env: { NOTES_GIT: 'true' } });
    const startup = notes.lines().find(({ event }) => event === 'startup');
    assert.deepEqual(startup?.read_only, ['default']);
    await notes.indexed();
    assert.equal((await notes.call('note_links', { path: 'a' })).value.in.length, 1);
    const edit = { path: 'a', mode: 'append_to_note', content: 'x' };
    const { isError, value } = await notes.call('note_section_edit', edit);
    assert.deepEqual([isError, value.code], [true, 'read_only']);
    assert.equal(await notes.stop(), 0);
    assert.deepEqual(readdirSync(join(data, 'default')).sort(), ['a.md', 'b.md']);
  });
}

test('the notes of another user are served with NOTES_READONLY and refused without', {
  skip: process.getuid?.() === 0 ? false : 'needs root to give files away',
}, async (context) => {
  const data = dataDirectory(context);
  place(data, FILES);
  chownSync(data, 65532, 65532);
  for (const path of [data, join(data, 'default')]) chmodSync(path, 0o755);
  const wrapper = ['setpriv', '--reuid=1234', '--regid=1234', '--clear-groups'];
  const notes = await startNotes(context, { data, wrapper, env: { NOTES_READONLY: 'true' } });
  await notes.indexed();
  assert.equal((await notes.call('note_read', { path: 'a' })).value.content, '# A\n\n[[b]]\n');
  assert.equal(await notes.stop(), 0);
  const refused = await runNotes(['validate'], { env: notesEnvironment(data), wrapper });
  assert.match(refused.stderr, /not writable for uid 1234/);
});

test('what names a tool that is switched off says so, and no fix needs one', async (context) => {
  const notes = await startNotes(context, {
    files: { 'default/a.md': 'same\n', 'default/b.md': 'same\n' },
    env: { NOTES_TOOLS: '-note_merge,-vault_stats' },
  });
  await notes.indexed();
  const review = async () =>
    (await notes.call('vault_review', { only: ['duplicate', 'orphan'] })).value;
  const { items } = await review();
  assert.deepEqual(
    items
      .map(({ kind, fix }: { kind: string; fix?: { tool: string } }) => [kind, fix?.tool])
      .sort(),
    [
      ['duplicate', undefined],
      ['orphan', 'note_related'],
      ['orphan', 'note_related'],
    ],
  );
  const { messages } = await notes.rpc('prompts/get', { name: 'orient' });
  assert.match(messages.at(-1).content.text, /switched off here: vault_stats\. Leave out/);
  const { instructions } = await notes.rpc('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  assert.match(instructions, /switched off here: .*note_merge/);
});
