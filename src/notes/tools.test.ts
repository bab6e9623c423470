import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLog } from '../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../test/support/notes/notes-tools.ts';
import { notesTools } from './tools.ts';

/** They never change or remove what is there; all others may. */
const ADDING = ['note_capture', 'note_create', 'vault_create'];

test('the tools that read come first, the ones that write say so and take dry_run', async (context) => {
  const { tools } = await notesBench(context);
  const readOnly = [...tools.values()].map(({ annotations }) => annotations.readOnlyHint);
  assert.deepEqual(
    readOnly,
    readOnly.toSorted((one, other) => Number(other) - Number(one)),
  );
  for (const { name, annotations, inputSchema } of tools.values()) {
    const { properties } = inputSchema as { properties: object };
    assert.equal(annotations.readOnlyHint, !('dry_run' in properties), name);
    const changes = 'dry_run' in properties && !ADDING.includes(name);
    assert.equal(annotations.destructiveHint ?? false, changes, name);
  }
});

test('all descriptions together cost a model less than 24,000 bytes', async (context) => {
  const { vaults } = await notesBench(context);
  const tools = notesTools({ vaults, log: recordingLog().log, now: () => new Date() });
  const listed = tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) =>
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
  );
  const bytes = Buffer.byteLength(`{"tools":[${listed.join(',')}]}`);
  assert.ok(bytes < 24_000, `${bytes}`);
  assert.ok(tools.every(({ outputSchema }) => outputSchema === undefined));
});

test('every tool that reads has one line a call, with its outcome and no content', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'the words of the note' } });
  await bench.call('note_read', { path: 'a' });
  await bench.call('note_search', { query: 'words' });
  await bench.refusal('note_read', { path: '../x' });
  await bench.refusal('note_read', { path: 5 });
  const lines = bench.lines().filter(({ event }) => event === 'tool_call');
  assert.deepEqual(
    lines.map(({ tool, outcome, path, user }) => [tool, outcome, path, user]),
    [
      ['note_read', 'ok', 'a.md', 'ada'],
      ['note_search', 'ok', undefined, 'ada'],
      ['note_read', 'path_invalid', '../x', 'ada'],
      ['note_read', 'invalid_arguments', undefined, 'ada'],
    ],
  );
  assert.ok(!JSON.stringify(lines).includes('the words'));
});

test('the line of a call names the vault it was about, and none where it was about none', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': 'a' } });
  await bench.call('vault_create', { name: 'second' });
  await bench.refusal('vault_create', { name: 'second' });
  await bench.call('vault_list');
  await bench.call('note_read', { path: 'a' });
  await bench.call('note_list', { vault: 'second' });
  await bench.refusal('note_read', { path: 'a', vault: 'third' });
  const lines = bench.lines().filter(({ event }) => event === 'tool_call');
  assert.deepEqual(
    lines.map(({ tool, vault }) => [tool, vault]),
    [
      ['vault_create', 'second'],
      ['vault_create', undefined],
      ['vault_list', undefined],
      ['note_read', 'default'],
      ['note_list', 'second'],
      ['note_read', 'third'],
    ],
  );
});
