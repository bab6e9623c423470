import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordingLog } from '../../test/support/notes/notes-storage.ts';
import { type NotesBenchOptions, notesBench } from '../../test/support/notes/notes-tools.ts';
import { RpcError } from '../mcp/jsonrpc.ts';
import type { Resource } from '../mcp/provider.ts';
import { notesResources } from './resources.ts';

const CALLER = { user: 'ada', incarnation: '1', clientId: 'test' };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);

async function resourcesBench(context: TestContext, options: NotesBenchOptions) {
  const bench = await notesBench(context, options);
  const { log, lines } = recordingLog();
  const resources = notesResources({ vaults: bench.vaults, log, now: () => new Date() });
  const read = async (uri: string) => (await resources.read(uri, CALLER))?.[0];
  return { ...bench, resources, read, logged: lines };
}

test('a note is text, a picture and a PDF are bytes, each with its type', async (context) => {
  const { read } = await resourcesBench(context, {
    files: {
      'a b/ü#?.md': '# Ü\r\n',
      'attachments/x.png': PNG,
      'attachments/x.PDF': PNG,
      'bad.md': Buffer.from([0x61, 0xff]),
      'data.csv': 'a,b\n',
      'thing.xyz': 'x',
    },
  });
  const uri = `notes://default/a%20b/${encodeURIComponent('ü#?')}.md`;
  assert.deepEqual(await read(uri), { uri, mimeType: 'text/markdown', text: '# Ü\r\n' });
  const types = {
    'attachments/x.png': ['image/png', PNG.toString('base64')],
    'attachments/x.PDF': ['application/pdf', PNG.toString('base64')],
    'bad.md': ['text/markdown', Buffer.from([0x61, 0xff]).toString('base64')],
    'thing.xyz': ['application/octet-stream', Buffer.from('x').toString('base64')],
  };
  for (const [path, [mimeType, blob]] of Object.entries(types)) {
    const address = `notes://default/${path}`;
    assert.deepEqual(await read(address), { uri: address, mimeType, blob });
  }
  assert.equal((await read('notes://default/data.csv'))?.mimeType, 'text/csv');
});

test('the signs that {+path} leaves as they are belong to the path', async (context) => {
  const { read } = await resourcesBench(context, { files: { 'a#b?c=d&e.md': 'x' } });
  assert.ok(await read('notes://default/a#b?c=d&e.md'));
});

test('the conventions of a vault are a resource, and nothing else of .notes is', async (context) => {
  const { read } = await resourcesBench(context, {
    files: { '.notes/instructions.md': 'be brief', 'a.md': 'x' },
  });
  const uri = 'notes://default/instructions';
  assert.deepEqual(await read(uri), { uri, mimeType: 'text/markdown', text: 'be brief' });
  assert.equal(await read('notes://default/.notes/instructions.md'), undefined);
  assert.equal(await read('notes://default/.notes/index.db'), undefined);
});

test('what is hidden, outside, linked or no address is not there', async (context) => {
  const { read, data } = await resourcesBench(context, {
    files: { 'a.md': 'x', '.obsidian/app.json': '{}', '.git/config': 'x', 'f/b.md': 'x' },
  });
  await writeFile(join(data, 'secret.md'), 'secret');
  await mkdir(join(data, 'outside'));
  await writeFile(join(data, 'outside/secret.md'), 'secret');
  await symlink(join(data, 'secret.md'), join(data, 'default/link.md'));
  await symlink(join(data, 'outside'), join(data, 'default/linked'));
  await symlink(join(data, 'default/.git'), join(data, 'default/repo'));
  const paths = [
    ...['../secret.md', '%2e%2e/secret.md', '..%2fsecret.md', 'f/../../secret.md', 'f/../a.md'],
    ...['%252e%252e/secret.md', '/etc/passwd', '%2fetc%2fpasswd', '//etc/passwd', './a.md'],
    ...['a.md%00', 'a.md%00.png', '..%5csecret.md', 'f%5cb.md', '.git/config', '.GIT/config'],
    ...['.obsidian/app.json', '%2eobsidian/app.json', '%e2%80%8b.git/config', 'link.md'],
    ...['linked/secret.md', 'repo/config', '', '/', 'f', 'f/', '%', '%zz', '%ff', 'gone.md'],
    ...['A.MD', 'a', 'x'.repeat(5000), 'a.md/', 'a.md?x', 'instructions'],
  ];
  for (const path of paths) assert.equal(await read(`notes://default/${path}`), undefined, path);
  const others = [
    ...['notes://other/a.md', 'notes://../a.md', 'notes://./default/a.md', 'notes://default'],
    ...['notes:///a.md', 'notes://DEFAULT/a.md', 'notes://constructor/a.md', 'file:///etc/passwd'],
    ...['', 'notes:', 'http://default/a.md', ' notes://default/a.md', 'notes://default%2fa.md'],
  ];
  for (const uri of others) assert.equal(await read(uri), undefined, uri);
});

test('a path in the other composition leads to the same note', async (context) => {
  const { read } = await resourcesBench(context, { files: { 'caf\u00e9.md': 'x' } });
  for (const name of ['caf\u00e9.md', 'cafe\u0301.md']) {
    assert.ok(await read(`notes://default/${encodeURIComponent(name)}`), name);
  }
});

test('a file beyond the size of a note is refused with the reason', async (context) => {
  const { read } = await resourcesBench(context, {
    files: { 'big.png': Buffer.alloc(33 * 1024 * 1024) },
  });
  await assert.rejects(
    read('notes://default/big.png'),
    (error) => error instanceof RpcError && error.message.startsWith('too_large: '),
  );
});

test('the pages of the list hold every file once and the conventions of each vault', async (context) => {
  const names = Array.from({ length: 230 }, (_, index) => `f/note ${index}.md`);
  const { resources, vaults, data } = await resourcesBench(context, {
    files: {
      ...Object.fromEntries(names.map((name) => [name, '# T\n'])),
      'attachments/x.png': PNG,
      '.notes/instructions.md': 'be brief',
      '.hidden/a.md': 'x',
    },
  });
  // The third vault begins where a page has room for its conventions and nothing else.
  for (const [vault, count] of Object.entries({ second: 66, third: 3 })) {
    await vaults.create(vault);
    const root = join(data, vault);
    await mkdir(join(root, '.notes'), { recursive: true });
    await writeFile(join(root, '.notes/instructions.md'), vault);
    const paths = Array.from({ length: count }, (_, index) => `${index}.md`);
    for (const path of paths) await writeFile(join(root, path), 'x');
    await vaults.ready();
    await vaults.get(vault).index.refresh(paths);
  }
  const all: Resource[] = [];
  let cursor: string | undefined;
  do {
    const page = await resources.list(cursor, CALLER);
    assert.ok(page.resources.length <= 100);
    all.push(...page.resources);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const uris = all.map(({ uri }) => uri);
  assert.equal(new Set(uris).size, uris.length);
  assert.equal(uris.length, 230 + 1 + 66 + 3 + 3);
  assert.ok(uris.includes('notes://default/f/note%20229.md'));
  assert.ok(!uris.some((uri) => uri.includes('hidden')));
  for (const uri of [uris[0]!, uris.at(-1)!]) assert.ok(await resources.read(uri, CALLER), uri);
});

test('a cursor that is not ours is an error of the caller', async (context) => {
  const { resources } = await resourcesBench(context, { files: { 'a.md': 'x' } });
  const negative = Buffer.from('at\0-5\0-5\0').toString('base64url');
  for (const cursor of ['', 'x', 'MQ', '\0', 'a'.repeat(10_000), negative]) {
    await assert.rejects(resources.list(cursor, CALLER), RpcError);
  }
  const far = Buffer.from('at\x009\x000\0').toString('base64url');
  assert.deepEqual((await resources.list(far, CALLER)).nextCursor, undefined);
});

test('the templates are those a client fills in', async (context) => {
  const { resources } = await resourcesBench(context, {});
  assert.deepEqual(
    (await resources.templates(CALLER)).map(({ uriTemplate }) => uriTemplate),
    ['notes://{vault}/{+path}', 'notes://{vault}/instructions'],
  );
});

test('every reading of a resource has its line, without content', async (context) => {
  const { read, logged } = await resourcesBench(context, { files: { 'a.md': 'the content' } });
  await read('notes://default/a.md');
  await read('notes://default/../x');
  const lines = logged.map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event, user, outcome }) => [event, user, outcome]),
    [
      ['resource_read', 'ada', 'ok'],
      ['resource_read', 'ada', 'not_found'],
    ],
  );
  assert.ok(!logged.join('').includes('the content'));
});
