import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingLog } from '../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../test/support/notes/notes-tools.ts';
import { RpcError } from '../mcp/jsonrpc.ts';
import { PROMPT_TEXTS } from './prompt-texts.ts';
import { notesPrompts } from './prompts.ts';
import { notesTools } from './tools.ts';

const CALLER = { user: 'ada', incarnation: '1', clientId: 'test' };
const NAMES = ['orient', 'weekly_review', 'capture_and_file', 'clean_up'];

test('every prompt is listed, and got with no argument and with its own', async (context) => {
  const { vaults } = await notesBench(context);
  const prompts = notesPrompts({ vaults, log: recordingLog().log, now: () => new Date() });
  const listed = await prompts.list(CALLER);
  assert.deepEqual(
    listed.map(({ name }) => name),
    NAMES,
  );
  for (const { name, arguments: declared = [] } of listed) {
    assert.ok(declared.every(({ required }) => !required));
    assert.equal((await prompts.get(name, {}, CALLER))?.messages.length, 1);
    const args = { vault: 'default', text: 'a thought', path: 'projects' };
    const own = Object.entries(args).filter(([key]) => declared.some((one) => one.name === key));
    const { messages } = (await prompts.get(name, Object.fromEntries(own), CALLER))!;
    for (const [, value] of own) assert.ok(JSON.stringify(messages).includes(value), name);
  }
});

test('the conventions of the vault come first', async (context) => {
  const { vaults } = await notesBench(context, {
    files: { '.notes/instructions.md': 'titles in sentence case' },
  });
  const prompts = notesPrompts({ vaults, log: recordingLog().log, now: () => new Date() });
  const [first, second] = (await prompts.get('orient', {}, CALLER))!.messages;
  assert.deepEqual(first?.content, {
    type: 'resource',
    resource: {
      uri: 'notes://default/instructions',
      mimeType: 'text/markdown',
      text: 'titles in sentence case',
    },
  });
  assert.equal(second?.content.type, 'text');
});

test('unknown prompts, arguments and vaults', async (context) => {
  const { vaults } = await notesBench(context);
  const prompts = notesPrompts({ vaults, log: recordingLog().log, now: () => new Date() });
  for (const name of ['', 'constructor', '__proto__', 'Orient']) {
    assert.equal(await prompts.get(name, {}, CALLER), undefined);
  }
  await assert.rejects(prompts.get('orient', { vault: '../x' }, CALLER), RpcError);
  await assert.rejects(prompts.get('orient', { text: 'x' }, CALLER), RpcError);
});

test('every tool and argument value a prompt names is there', async (context) => {
  const { vaults } = await notesBench(context);
  const tools = notesTools({ vaults, log: recordingLog().log, now: () => new Date() });
  const known = new Set(tools.map(({ name }) => name));
  const schemas = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
  for (const write of Object.values(PROMPT_TEXTS)) {
    const text = write({ vault: 'v' }) + write({ vault: 'v', text: 't', path: 'p' });
    for (const [name] of text.matchAll(/\b(?:note|vault|tag|task)_[a-z_]+\b/g)) {
      assert.ok(known.has(name), name);
    }
    for (const [, only = ''] of text.matchAll(/only \[([^\]]*)\]/g)) {
      for (const kind of only.split(', ')) assert.ok(schemas.includes(kind), kind);
    }
  }
});

test('the prompt for cleaning up says that a cursor skips items that move up when others are mended', () => {
  const text = PROMPT_TEXTS.clean_up({ vault: 'v' });
  assert.match(text, /without a cursor if something was repaired/);
});
