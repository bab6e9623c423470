/** From the first line to the exit code. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStream } from '../support/mcp/client.ts';
import {
  dataDirectory,
  notesEnvironment,
  place,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { parseLines } from '../support/programs/program.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

test('the startup line says what runs and where, and /healthz that it does', async (context) => {
  const notes = await startNotes(context, { files: { 'default/a.md': '# A\n' } });
  const startup = notes.lines().find(({ event }) => event === 'startup');
  assert.deepEqual(
    { ...startup, ts: '' },
    {
      ts: '',
      level: 'info',
      event: 'startup',
      version,
      listen: `127.0.0.1:${notes.port}`,
      port: notes.port,
      public_url: notes.url,
      data: notes.data,
      vaults: ['default'],
      default_vault: 'default',
      git: false,
      embeddings: 'off',
    },
  );
  const health = await fetch(`${notes.url}/healthz`);
  assert.deepEqual(await health.json(), { status: 'ok', version });
  await notes.indexed();
  assert.equal(await notes.stop(), 0);
  assert.equal(notes.stderr(), '');
});

test('an empty data directory gets the vault that is the default one', async (context) => {
  const env = { NOTES_DEFAULT_VAULT: 'journal' };
  const notes = await startNotes(context, { env });
  assert.ok(existsSync(join(notes.data, 'journal')));
  assert.ok(!existsSync(join(notes.data, 'default')));
});

test('where there is no vault called default, the first by name is it', async (context) => {
  const files = { 'work/a.md': 'a', 'home/b.md': 'b' };
  const notes = await startNotes(context, { files });
  const startup = await notes.line(({ event }) => event === 'startup');
  assert.deepEqual([startup.vaults, startup.default_vault], [['home', 'work'], 'home']);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`after ${signal} open streams end, the exit is clean and the last line says so`, async (context) => {
    const notes = await startNotes(context);
    const stream = await openStream(notes.url, await notes.token());
    notes.signal(signal);
    assert.equal(await stream.next(), undefined);
    assert.equal(await notes.exited, 0);
    const last = notes.lines().at(-1);
    assert.deepEqual([last?.event, last?.signal], ['shutdown', signal]);
  });
}

test('a second server on the same directory says so in one line, harms nothing and ends with 1', async (context) => {
  const notes = await startNotes(context, { files: { 'default/a.md': '# A\n' } });
  const second = await runNotes([], { env: notesEnvironment(notes.data) });
  assert.equal(second.code, 1);
  const said = `another notes server uses ${notes.data}; stop it, or give this one its own directory`;
  assert.equal(second.stderr, `environment: NOTES_DATA: ${said}\n`);
  assert.equal(parseLines(second.stdout).length, 1);
  assert.equal((await fetch(`${notes.url}/healthz`)).status, 200);
  assert.ok((await notes.rpc('tools/list')).tools);
  assert.equal(await notes.stop(), 0);
});

test('a server that was killed leaves nothing that keeps the next from starting', async (context) => {
  const first = await startNotes(context);
  first.signal('SIGKILL');
  await first.exited;
  const second = await startNotes(context, { data: first.data });
  assert.equal(await second.stop(), 0);
});

test('a restart forgets clients and tokens: the old token is refused', async (context) => {
  const first = await startNotes(context);
  const token = await first.token();
  await first.stop();
  const second = await startNotes(context, { data: first.data });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${second.url}/mcp`, { method: 'POST', headers, body: '{}' });
  assert.equal(answer.status, 401);
});

for (const [what, path] of [
  ['an index', 'b/.notes/index.db/x'],
  ['a journal', 'b/.notes/journal'],
] as const) {
  test(`a vault with ${what} that cannot be opened ends the start with 1, whatever is open by then`, async (context) => {
    const data = dataDirectory(context);
    place(data, { 'a/a.md': '# A\n', [path]: '' });
    const env = { ...notesEnvironment(data), NOTES_GIT: 'true' };
    const { code, stdout, stderr } = await runNotes([], { env });
    assert.equal(code, 1);
    assert.match(stderr, /^environment: NOTES_DATA: vault b: .+\n$/);
    const [refusal] = parseLines(stdout).filter(({ event }) => event === 'config_error');
    assert.equal(refusal?.message, 'the notes server cannot start');
  });
}

for (const name of ['NOTES_LISTEN', 'NOTES_METRICS_LISTEN']) {
  test(`an address of ${name} that is taken is one clear line and exit code 1`, async (context) => {
    const data = dataDirectory(context);
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    const metrics = { NOTES_METRICS: 'true', NOTES_METRICS_KEY: 'key-of-16-characters' };
    const env = { ...notesEnvironment(data), ...metrics, [name]: address };
    const { code, stdout, stderr } = await runNotes([], { env });
    taken.close();
    assert.equal(code, 1);
    const reason = `cannot listen on ${address}: the address is in use by another process`;
    assert.equal(stderr, `environment: ${name}: ${reason}\n`);
    const refusals = parseLines(stdout).filter(({ level }) => level === 'error');
    assert.equal(refusals.length, 1);
  });
}

test('all problems of the environment are reported at once, for machines and for people', async () => {
  const { code, stdout, stderr } = await runNotes([], { env: { NOTES_GIT: 'perhaps' } });
  assert.equal(code, 1);
  const said = stderr.trimEnd().split('\n');
  assert.deepEqual(
    said.map((line) => line.split(': ')[1]),
    ['NOTES_PUBLIC_URL', 'NOTES_USERNAME', 'NOTES_PASSWORD', 'NOTES_GIT'],
  );
  const [line, ...more] = parseLines(stdout);
  assert.deepEqual(more, []);
  assert.deepEqual([line?.event, line?.message], ['config_error', 'the notes server cannot start']);
  assert.deepEqual(line?.problems, said);
});

test('NOTES_LOG_LEVEL silences what is below it, but never the audit', async (context) => {
  const data = dataDirectory(context);
  place(data, { 'default/a.md': '# A\n' });
  const env = { NOTES_LOG_LEVEL: 'error' };
  // It says nothing at its start, so it is asked until it answers.
  const notes = await startNotes(context, { data, env: { ...env }, isQuiet: true });
  await notes.call('vault_list');
  await notes.stop();
  assert.deepEqual(
    notes.lines().map(({ event, tool }) => [event, tool]),
    [['tool_call', 'vault_list']],
  );
});

test('a signal while the first index is built cuts it short, without a line of error', async (context) => {
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, n) => [`default/${n}.md`, `# ${n}\n\n${'word '.repeat(50)}`]),
  );
  const first = await startNotes(context, { files });
  assert.equal(await first.stop(), 0);
  const troubles = first.lines().filter(({ level }) => level !== 'info');
  assert.deepEqual(troubles, []);
  const second = await startNotes(context, { data: first.data });
  await second.indexed();
  const ready = second.lines().find(({ event }) => event === 'index_ready');
  assert.equal(ready?.indexed, 3_000);
});

test('a call that runs when the signal comes is answered, and what it says is logged', async (context) => {
  const files = { 'default/a.md': `${'a'.repeat(40)}b\n` };
  const notes = await startNotes(context, { files });
  await notes.indexed();
  // An expression that never ends is stopped after some seconds: until then the call runs.
  const slow = notes.call('vault_grep', { pattern: '^(a+)+$', regex: true });
  await notes.call('vault_list');
  notes.signal('SIGTERM');
  const { isError, value } = await slow;
  assert.deepEqual([isError, value.code], [true, 'regex_timeout']);
  assert.equal(await notes.exited, 0);
  assert.deepEqual(
    notes
      .lines()
      .slice(-2)
      .map(({ event, outcome }) => [event, outcome]),
    [
      ['tool_call', 'regex_timeout'],
      ['shutdown', undefined],
    ],
  );
});
