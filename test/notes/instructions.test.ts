/** The instructions that a client gets when it connects, in both protocol eras. */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cleaner, type NotesProcess, place, startNotes } from '../support/notes/notes.ts';

const FILE = 'default/.notes/instructions.md';
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

const suite = cleaner();
/** One server for all texts of one vault: it reads the text whenever a client comes. */
let notes: NotesProcess;
before(async () => {
  notes = await startNotes(suite, { files: { 'default/a.md': 'a' } });
  await notes.indexed();
});
after(() => suite.clean());

async function initialized(notes: NotesProcess): Promise<string> {
  return (await notes.rpc('initialize', INITIALIZE)).instructions;
}

async function discovered(notes: NotesProcess): Promise<string> {
  const version = '2026-07-28';
  const params = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const answer = await fetch(`${notes.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await notes.token()}`,
      'mcp-protocol-version': version,
      'mcp-method': 'server/discover',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params }),
  });
  const { result } = (await answer.json()) as { result: { instructions: string } };
  return result.instructions;
}

test('the text of the default vault comes first, then the guide, the same in both eras', async () => {
  place(notes.data, { [FILE]: 'Tags are singular. ä\n' });
  const said = await initialized(notes);
  assert.ok(said.startsWith('Tags are singular. ä\n\nThese tools keep'), said);
  assert.ok(said.length <= 2_048, `${said.length} characters`);
  assert.equal(await discovered(notes), said);
});

test('without a text there is the guide alone, and a new text reaches the next client', async () => {
  place(notes.data, { [FILE]: 'Old.' });
  assert.match(await initialized(notes), /^Old\./);
  place(notes.data, { [FILE]: 'New.' });
  assert.match(await initialized(notes), /^New\./);
  rmSync(join(notes.data, FILE));
  assert.match(await initialized(notes), /^These tools keep/);
});

test('a long text is sent whole, after a line that says where a client that cuts it finds the rest', async () => {
  const text = `Start. ${'Rule. '.repeat(1_000)}End.`;
  place(notes.data, { [FILE]: text });
  const said = await initialized(notes);
  assert.ok(said.includes(text));
  assert.match(
    said,
    /^\(Conventions of the vault "default", in full at notes:\/\/default\/instructions:\)\n\nStart\./,
  );
  const read = await notes.rpc('resources/read', { uri: 'notes://default/instructions' });
  assert.equal(read.contents[0].text, text);
});

test('of several vaults the default one speaks, and all are named', async (context) => {
  const files = {
    'home/a.md': 'a',
    'work/.notes/instructions.md': 'At work.',
    'home/.notes/instructions.md': 'At home.',
  };
  const several = await startNotes(context, { files, env: { NOTES_DEFAULT_VAULT: 'work' } });
  const said = await initialized(several);
  assert.match(said, /^At work\./);
  assert.doesNotMatch(said, /At home\./);
  assert.match(
    said,
    /several vaults: "home", "work"\. Without the argument vault, a tool uses "work"/,
  );
});

test('a text that is a link out of the vault is not told', async () => {
  const link = join(notes.data, FILE);
  rmSync(link, { force: true });
  symlinkSync('/etc/passwd', link);
  assert.match(await initialized(notes), /^These tools keep/);
  rmSync(link);
});

test('tools, resources and prompts are all there, and the list of tools stays small', async () => {
  const { tools } = await notes.rpc('tools/list');
  const names = tools.map(({ name }: { name: string }) => name);
  for (const name of ['note_section_edit', 'vault_review', 'vault_stats']) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(JSON.stringify(tools).length < 24_000, `${JSON.stringify(tools).length}`);
  assert.equal((await notes.rpc('prompts/list')).prompts.length, 4);
  assert.equal((await notes.rpc('resources/templates/list')).resourceTemplates.length, 2);
});
