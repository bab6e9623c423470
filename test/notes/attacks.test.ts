/** What a hostile client with a valid token, or a stranger without one, tries on the running server. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cleaner, type NotesProcess, startNotes } from '../support/notes/notes.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';

const SECRET = 'the-secret-of-the-other-house';
const suite = cleaner();
let notes: NotesProcess;
before(async () => {
  notes = await startNotes(suite, {
    files: {
      'secret.md': SECRET,
      'Not-a-vault/secret.md': SECRET,
      'default/a.md': '# A\n',
      'default/aaaa.md': `${'a'.repeat(60)}!\n`,
      'default/.obsidian/secret.md': SECRET,
      'default/.git/config': SECRET,
      'work/w.md': 'work\n',
    },
  });
  symlinkSync(join(notes.data, 'secret.md'), join(notes.data, 'default/link.md'));
  await notes.indexed();
});
after(() => suite.clean());

const URIS = [
  ...['..%2fsecret.md', '../secret.md', '%2e%2e/secret.md', '%252e%252e%252fsecret.md'],
  ...['.git/config', '%2egit/config', '%2Egit%2fconfig', '.obsidian/secret.md', '.notes/index.db'],
  ...[
    'link.md',
    'a.md%00',
    'a.md?x',
    '/a.md',
    '%2fa.md',
    '\\a.md',
    '%5c..%5csecret.md',
    '',
    '%E0%A4%A',
  ],
  ...['instructions/../a.md', './a.md', 'a.md/', `${'a/'.repeat(5000)}`],
].map((path) => `notes://default/${path}`);
const OTHER_URIS = [
  ...['notes://../secret.md', 'notes://./secret.md', 'notes:///secret.md', 'notes://secret.md'],
  ...['notes://default%2f../secret.md', 'notes://Not-a-vault/secret.md', 'file:///etc/passwd'],
  ...['NOTES://default/a.md', 'notes://__proto__/a.md', 'notes://default@work/a.md', ''],
];

test('no address of a resource leads to what is hidden, outside or linked', async () => {
  for (const uri of [...URIS, ...OTHER_URIS]) {
    await assert.rejects(notes.rpc('resources/read', { uri }), (error: Error) => {
      assert.ok(!error.message.includes(SECRET), uri);
      assert.match(error.message, /-32002|-32602/, uri);
      return true;
    });
  }
  const { contents } = await notes.rpc('resources/read', { uri: 'notes://work/w.md' });
  assert.equal(contents[0].text, 'work\n');
});

test('a stranger gets nothing from any method, and no name of a tool, vault or note', async () => {
  for (const method of [
    'initialize',
    'tools/list',
    'tools/call',
    'resources/list',
    'prompts/list',
  ]) {
    for (const authorization of [
      undefined,
      'Bearer x',
      'Basic YTpi',
      `Bearer ${'x'.repeat(5000)}`,
    ]) {
      const answer = await fetch(`${notes.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'vault_list' } }),
      });
      const body = await answer.text();
      assert.equal(answer.status, 401);
      assert.ok(answer.headers.get('www-authenticate')?.startsWith('Bearer'));
      assert.doesNotMatch(body, /note_|vault_|a\.md|work/);
    }
  }
});

test('whatever a path, an address or a name holds, a log line is one line of plain JSON', async () => {
  const hostile = '\u202e\u2028\u2029\u007f\u009b[31m\r\n{"event":"forged"}';
  const before = notes.lines().length;
  await notes.call('note_read', { path: hostile });
  await notes.call('note_create', { path: `x\u202e\u2028\u009b.md`, content: hostile });
  await notes.call('vault_stats', { vault: hostile });
  await notes.rpc('resources/read', { uri: `notes://default/${hostile}` }).catch(() => {});
  await notes.call('note_read', { path: 'x'.repeat(1024) });
  await notes.line((line) => line.event === 'tool_call' && String(line.path).startsWith('xxx'));
  const lines = notes.lines().slice(before);
  assert.ok(lines.length >= 5);
  assert.ok(lines.every(({ event }) => event !== 'forged'));
  assert.doesNotMatch(notes.stdout(), /[\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
});

test('an undo reaches no other vault, is made once, and can itself be undone', async () => {
  const { value: made } = await notes.call('note_create', { path: 'u.md', content: 'u\n' });
  const file = join(notes.data, 'default/u.md');
  const undo = (change_id: string, vault = 'default') =>
    notes.call('change_undo', { change_id, vault });
  assert.equal((await undo(made.change_id, 'work')).value.code, 'undo_expired');
  assert.equal(readFileSync(file, 'utf8'), 'u\n');
  const undone = await Promise.all(Array.from({ length: 5 }, () => undo(made.change_id)));
  const [first] = undone.filter(({ isError }) => !isError);
  assert.deepEqual(undone.map(({ isError, value }) => (isError ? value.code : 'ok')).toSorted(), [
    'ok',
    ...Array(4).fill('undo_conflict'),
  ]);
  assert.equal((await undo(first!.value.change_id)).isError, false);
  assert.equal(readFileSync(file, 'utf8'), 'u\n');
  for (const forged of ['../x', '0', '-', `${made.change_id}\n`, `${made.change_id}/..`]) {
    assert.equal((await undo(forged)).value.code, 'undo_expired', forged);
  }
});

test('moves and writes of one note at once lose nothing', async () => {
  await notes.call('note_create', { path: 'race.md', content: '# R\n' });
  const writes = Array.from({ length: 20 }, (_, at) =>
    notes.call('note_section_edit', {
      path: at % 2 === 0 ? 'race.md' : 'moved.md',
      mode: 'append_to_note',
      content: `- entry ${at}`,
    }),
  );
  const moves = Array.from({ length: 4 }, (_, at) =>
    notes.call(
      'note_move',
      at % 2 === 0 ? { path: 'race.md', to: 'moved.md' } : { path: 'moved.md', to: 'race.md' },
    ),
  );
  const written = (await Promise.all(writes)).filter(({ isError }) => !isError).length;
  await Promise.all(moves);
  const reads = await Promise.all(
    ['race.md', 'moved.md'].map((path) => notes.call('note_read', { path })),
  );
  const found = reads.filter(({ isError }) => !isError);
  assert.equal(found.length, 1);
  assert.equal(found[0]!.value.content.match(/- entry/g)?.length ?? 0, written);
});

test('catastrophic expressions are stopped, and others are answered before they are', {
  timeout: PATIENCE_MS,
}, async () => {
  const pattern = '(a+)+$';
  const ended: string[] = [];
  const heavy = [
    notes.call('vault_grep', { pattern, regex: true }),
    notes.call('vault_replace', { pattern, replace: 'x', kind: 'regex' }),
  ].map((call) =>
    call.then(({ value }) => {
      ended.push('heavy');
      return value.code;
    }),
  );
  const others = ['note_search', 'note_list', 'note_read', 'vault_stats', 'note_create'].map(
    (tool) =>
      notes
        .call(tool, {
          ...(tool === 'note_search' && { query: 'work' }),
          ...(tool === 'note_read' && { path: 'a.md' }),
          ...(tool === 'note_create' && { path: 'meanwhile.md', content: 'x' }),
        })
        .then(({ isError, text }) => {
          assert.equal(isError, false, text);
          ended.push(tool);
        }),
  );
  await Promise.all(others);
  assert.ok(!ended.includes('heavy'), ended.join());
  assert.deepEqual(await Promise.all(heavy), ['regex_timeout', 'regex_timeout']);
  assert.equal((await notes.call('vault_grep', { pattern: '# A' })).value.matches.length, 1);
});

/** What the socket answers until it is closed. */
function ask(text: string | Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(join(notes.data, '.notes.sock'));
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(answer));
  socket.write(text);
  return promise;
}

test('the socket of reindex is its owner’s alone, and garbage and half messages do it no harm', async () => {
  assert.equal(statSync(join(notes.data, '.notes.sock')).mode & 0o777, 0o600);
  for (const garbage of ['garbage\n', '{}\n', '\xff\0\n', Buffer.alloc(100_000, 65), '\n']) {
    assert.equal(await ask(garbage), '');
  }
  const half = Array.from({ length: 100 }, () => connect(join(notes.data, '.notes.sock')));
  for (const socket of half) socket.on('error', () => {}).write('{"command":"rein');
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask('{"command":"reindex"}\n')),
  );
  for (const answer of answers) assert.ok(answer.endsWith('{"ended":"done"}\n'), answer);
  for (const socket of half) socket.destroy();
  assert.equal((await notes.call('vault_stats')).value.index.state, 'ready');
});
