/** What an operator does beside the running server: a copy, a pull by hand; and what it never speaks. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataDirectory, startNotes } from '../support/notes.ts';
import { until } from '../support/notes-storage.ts';

const NOTES = 8;
const name = (n: number) => `note-${n}.md`;
/** Long enough that half of it would be seen. */
const text = (n: number, version: number) => `# ${n}\n\n${`version ${version}\n`.repeat(2_000)}`;

function git(root: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com'];
  const all = ['-c', 'safe.directory=*', ...identity, ...args];
  return execFileSync('git', all, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

test('a copy taken while the server writes has every note whole, and a server runs on it', async (context) => {
  const numbers = Array.from({ length: NOTES }, (_, n) => n);
  const files = Object.fromEntries(numbers.map((n) => [`default/${name(n)}`, text(n, 0)]));
  const server = await startNotes(context, { files });
  await server.indexed();
  const copy = dataDirectory(context);
  const archive = join(dataDirectory(context), 'copy.tar');
  let isCopied = false;
  const writing = numbers.map(async (n) => {
    for (let version = 1; !isCopied || version < 3; version++) {
      const { value } = await server.call('note_read', { path: name(n), view: 'outline' });
      const { content_hash } = value;
      const args = { path: name(n), content: text(n, version), content_hash };
      const { isError } = await server.call('note_write', args);
      assert.equal(isError, false);
    }
  });
  const lines = () => server.lines().filter(({ tool }) => tool === 'note_write').length;
  for (let round = 1; round <= 3; round++) {
    const before = lines();
    await until(() => lines() > before + NOTES);
    const leftOut = ['--exclude=index.db*', '--exclude=.notes.lock*', '--exclude=.notes.sock'];
    // A file that changes while it is read is replaced by rename here; tar may still remark on it.
    const kept = ['--warning=no-file-changed', '--warning=no-file-removed', '--ignore-failed-read'];
    execFileSync('sh', [
      '-c',
      'tar "$@" || test $? = 1',
      'sh',
      ...leftOut,
      ...kept,
      '-cf',
      archive,
      '-C',
      server.data,
      '.',
    ]);
    execFileSync('tar', ['-xf', archive, '-C', copy]);
    for (const n of numbers) {
      const copied = readFileSync(join(copy, 'default', name(n)), 'utf8');
      const version = Number(/version (\d+)/.exec(copied)?.[1]);
      assert.equal(copied, text(n, version), name(n));
    }
  }
  isCopied = true;
  await Promise.all(writing);
  const restored = await startNotes(context, { data: copy });
  await restored.indexed();
  const { value } = await restored.call('vault_stats');
  assert.deepEqual([value.index.state, value.counts.notes], ['ready', NOTES]);
});

test('what the owner pulls by hand is found, and what waited is pushed then', async (context) => {
  const remote = join(dataDirectory(context), 'notes.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  const env = { NOTES_GIT: 'true', NOTES_GIT_REMOTE: `file://${remote}` };
  const server = await startNotes(context, { env, files: { 'default/a.md': '# A\n' } });
  const root = join(server.data, 'default');
  const gitState = async () => (await server.call('vault_stats')).value.git;
  await until(async () => (await gitState()).push === 'ok');

  const clone = dataDirectory(context);
  git(clone, 'clone', '--quiet', remote, '.');
  execFileSync('sh', ['-c', 'echo "# Quince" > theirs.md'], { cwd: clone });
  git(clone, 'add', 'theirs.md');
  git(clone, 'commit', '--quiet', '-m', 'theirs');
  git(clone, 'push', '--quiet');

  await server.call('note_create', { path: 'ours', content: 'ours\n' });
  await until(async () => (await gitState()).push === 'failing');
  assert.ok(!existsSync(join(root, 'theirs.md')), 'the server pulled by itself');
  git(root, 'pull', '--quiet', '--rebase', 'origin', 'main');
  await until(async () => {
    const { value } = await server.call('note_search', { query: 'quince' });
    return value.hits.length === 1;
  });
  await until(async () => (await gitState()).push === 'ok');
  assert.equal(git(remote, 'rev-parse', 'main'), git(root, 'rev-parse', 'HEAD'));
});

test('a TLS greeting is not answered in kind, and the server lives on', async (context) => {
  const server = await startNotes(context);
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(Buffer.from('160301020001000001fc0303', 'hex'));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  assert.match(Buffer.concat(chunks).toString('latin1'), /^(HTTP\/1\.1 400 |$)/);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});
