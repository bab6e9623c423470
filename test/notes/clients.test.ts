/**
 * Real MCP clients sign in to the notes server and do a day's work: find, write, edit, take back,
 * read a resource and start from a prompt.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertIconsAreServed } from '../support/mcp/icons.ts';
import { REAL_CLIENTS, type RealClient } from '../support/mcp/real-clients.ts';
import {
  cleaner,
  type NotesProcess,
  PASSWORD,
  startNotes,
  USERNAME,
} from '../support/notes/notes.ts';

const ADA = { name: USERNAME, password: PASSWORD };
const CONVENTIONS = 'Notes about plants are in gardens/.\n';

const suite = cleaner();
let notes: NotesProcess;
before(async () => {
  notes = await startNotes(suite, {
    files: {
      'default/basil.md': '# Basil\n\nLikes the sun.\n',
      'default/.notes/instructions.md': CONVENTIONS,
    },
    env: { NOTES_GIT: 'true' },
  });
  await notes.indexed();
});
after(() => suite.clean());

for (const [at, [name, connected]] of REAL_CLIENTS.entries()) {
  test(`${name} signs in and works with notes`, () =>
    connected(notes.url, ADA, (client) => works(client, `client-${at}.md`)));
}

async function works(client: RealClient, path: string): Promise<void> {
  const call = async (name: string, args: object) => {
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: { ...args },
    });
    assert.notEqual(isError, true, JSON.stringify(content));
    // biome-ignore lint/suspicious/noExplicitAny: every step knows the shape it asserts.
    return structuredContent as Record<string, any>;
  };
  const onDisk = () => readFileSync(join(notes.data, 'default', path), 'utf8');
  const word = `quince${path.replaceAll(/\W/g, '')}`;

  assert.equal(client.getServerVersion()?.name, 'gatehouse-notes');
  await assertIconsAreServed(client.getServerVersion()?.icons);
  assert.ok(client.getInstructions()?.includes(CONVENTIONS.trim()));
  const { tools } = await client.listTools();
  assert.equal(tools.length, 28);

  const created = await call('note_create', { path, content: `# Tree\n\nA ${word}.\n` });
  assert.equal(created.path, path);
  assert.equal(onDisk(), `# Tree\n\nA ${word}.\n`);

  const edits = [{ old_string: word, new_string: `${word} of gold` }];
  const edited = await call('note_edit', { path, edits, content_hash: created.content_hash });
  const { hits } = await call('note_search', { query: `${word} gold` });
  // Other clients' notes match one of the two words; the note with both comes first.
  assert.equal(hits[0].path, path);

  await call('change_undo', { change_id: edited.change_id });
  assert.equal(onDisk(), `# Tree\n\nA ${word}.\n`);

  const { resources } = await client.listResources();
  const uri = `notes://default/${path}`;
  assert.ok(resources.some((resource) => resource.uri === uri));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0]?.uriTemplate, 'notes://{vault}/{+path}');
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(contents, [{ uri, mimeType: 'text/markdown', text: onDisk() }]);

  await hearsOfChanges(client, uri, async () =>
    writeFileSync(join(notes.data, 'default', path), 'A fig.\n'),
  );
  await hearsOfChanges(client, uri, () =>
    call('note_edit', { path, edits: [{ old_string: 'fig', new_string: 'pear' }] }),
  );

  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === 'orient'));
  const prompt = await client.getPrompt({ name: 'orient', arguments: { vault: 'default' } });
  const [conventions, task] = prompt.messages.map((message) => message.content);
  assert.ok(conventions?.type === 'resource' && 'text' in conventions.resource);
  assert.equal(conventions.resource.text, CONVENTIONS);
  assert.ok(task?.type === 'text' && task.text.includes('vault_stats'));

  const args = { path: 'basil', content: 'x', content_hash: 'wrong' };
  const refused = await client.callTool({ name: 'note_write', arguments: args });
  assert.equal(refused.isError, true);
  assert.match(JSON.stringify(refused.content), /hash_mismatch/);
}

/** In each of the two ways in which a client can subscribe to a resource. */
async function hearsOfChanges(
  client: RealClient,
  uri: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === 'notifications/resources/updated') resolve(params?.uri);
  };
  const isModern = 'listen' in client && client.getNegotiatedProtocolVersion() === '2026-07-28';
  const subscription = isModern
    ? await client.listen({ resourceSubscriptions: [uri] })
    : await client.subscribeResource({ uri });
  await change();
  assert.equal(await promise, uri);
  if (isModern && 'close' in subscription) await (subscription.close as () => Promise<void>)();
  else await client.unsubscribeResource({ uri });
}
