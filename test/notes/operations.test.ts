/** What an operator does beside the running server: a copy, a pull by hand; and what it never speaks. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataDirectory, startNotes } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';

const NOTES = 2;
const WRITES = 20;
const name = (n: number) => `note-${n}.md`;
/** Long enough that half of it would be seen. */
const text = (n: number, version: number) => `# ${n}\n\n${`version ${version}\n`.repeat(5_000)}`;

/** Copies every note again and again until it is stopped, and prints how many copies were torn. */
const COPIER = `
  import { readdirSync, readFileSync } from 'node:fs';
  const folder = process.argv[1];
  let [isOver, copies, torn] = [false, 0, 0];
  process.stdin.on('data', () => { isOver = true; });
  while (!isOver) {
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
      const [, , ...lines] = readFileSync(folder + '/' + name, 'utf8').split('\\n');
      copies++;
      if (lines.length !== 5_001 || new Set(lines).size !== 2) torn++;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(JSON.stringify({ copies, torn }));
  process.exit();
`;

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
  const node = [process.execPath, '--input-type=module', '-e', COPIER] as const;
  const copier = spawn(node[0], [...node.slice(1), join(server.data, 'default')]);
  context.after(() => copier.kill());
  let told = '';
  copier.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk;
  });
  const write = async (n: number) => {
    let { content_hash } = (await server.call('note_read', { path: name(n) })).value;
    for (let version = 1; version <= WRITES; version++) {
      const args = { path: name(n), content: text(n, version), content_hash };
      const { isError, value } = await server.call('note_write', args);
      assert.equal(isError, false);
      content_hash = value.content_hash;
    }
  };
  await Promise.all(numbers.map(write));
  const ended = once(copier, 'close');
  copier.stdin.write('end\n');
  await ended;
  const { copies, torn } = JSON.parse(told) as { copies: number; torn: number };
  assert.ok(copies > WRITES, `${copies} copies`);
  assert.equal(torn, 0);

  const copy = dataDirectory(context);
  cpSync(join(server.data, 'default'), join(copy, 'default'), { recursive: true });
  rmSync(join(copy, 'default/.notes'), { recursive: true });
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
