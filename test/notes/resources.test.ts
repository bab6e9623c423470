/** Resources, prompts and completion over HTTP, as the official client asks for them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cleaner, startNotes } from '../support/notes/notes.ts';

const suite = cleaner();
let client: Client;
before(async () => {
  const notes = await startNotes(suite, {
    files: {
      'default/home/a b.md': '# A\n',
      'default/attachments/x.png': Buffer.from([0x89, 0x50, 0]),
      'default/.notes/instructions.md': 'be brief',
      'default/.hidden/secret.md': 'secret',
      'work/plan.md': '# Plan\n',
    },
  });
  await notes.indexed();
  const requestInit = { headers: { authorization: `Bearer ${await notes.token()}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${notes.url}/mcp`), { requestInit });
  client = new Client({ name: 'test', version: '1' });
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  suite.after(() => client.close());
});
after(() => suite.clean());

test('what is listed can be read, what is hidden is not there', async () => {
  const { resources, nextCursor } = await client.listResources();
  assert.equal(nextCursor, undefined);
  assert.deepEqual(
    resources.map(({ uri, mimeType }) => [uri, mimeType]),
    [
      ['notes://default/instructions', 'text/markdown'],
      ['notes://default/home/a%20b.md', 'text/markdown'],
      ['notes://default/attachments/x.png', 'image/png'],
      ['notes://work/plan.md', 'text/markdown'],
    ],
  );
  for (const { uri } of resources) {
    assert.equal((await client.readResource({ uri })).contents[0]?.uri, uri);
  }
  for (const path of ['.hidden/secret.md', '../work/plan.md', '%2e%2e/work/plan.md', 'gone.md']) {
    await assert.rejects(client.readResource({ uri: `notes://default/${path}` }), { code: -32002 });
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 2);
});

test('prompts are listed and got, arguments completed', async () => {
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name, arguments: { vault: 'work' } });
    assert.match(JSON.stringify(messages), /\\"work\\"/);
  }
  await assert.rejects(client.getPrompt({ name: 'orient', arguments: { vault: 'x' } }), {
    code: -32602,
  });
  const vault = await client.complete({
    ref: { type: 'ref/prompt', name: 'orient' },
    argument: { name: 'vault', value: 'w' },
  });
  assert.deepEqual(vault.completion.values, ['work']);
  const path = await client.complete({
    ref: { type: 'ref/resource', uri: 'notes://{vault}/{+path}' },
    argument: { name: 'path', value: 'home/' },
  });
  assert.deepEqual(path.completion.values, ['home/a b.md']);
});

test('paths are completed in the vault that was chosen before', async () => {
  for (const ref of [
    { type: 'ref/resource', uri: 'notes://{vault}/{+path}' },
    { type: 'ref/prompt', name: 'clean_up' },
  ] as const) {
    const { completion } = await client.complete({
      ref,
      argument: { name: 'path', value: '' },
      context: { arguments: { vault: 'work' } },
    });
    assert.deepEqual(completion.values, ['plan.md']);
  }
});

test('an argument of a prompt that was left empty counts as absent', async () => {
  const { prompts } = await client.listPrompts();
  for (const { name, arguments: declared = [] } of prompts) {
    const empty = Object.fromEntries(declared.map((argument) => [argument.name, '']));
    assert.deepEqual(
      await client.getPrompt({ name, arguments: empty }),
      await client.getPrompt({ name }),
    );
  }
});
