/** Git and its remote, as the operator meets them: what a push carries, and what one that fails does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  dataDirectory,
  notesEnvironment,
  place,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { parseLines } from '../support/programs/program.ts';

function git(root: string, ...args: string[]): string {
  const safe = ['-c', 'safe.directory=*', ...args];
  return execFileSync('git', safe, { cwd: root, encoding: 'utf8' }).trim();
}

test('each write is a commit of the configured author, pushed to the remote of its vault', async (context) => {
  const remotes = dataDirectory(context);
  const data = dataDirectory(context);
  for (const vault of ['default', 'work']) {
    execFileSync('git', ['init', '--quiet', '--bare', join(remotes, `${vault}.git`)]);
    place(data, { [`${vault}/a.md`]: `# In ${vault}\n` });
  }
  const notes = await startNotes(context, {
    data,
    env: {
      NOTES_GIT: 'true',
      NOTES_GIT_REMOTE: `file://${remotes}/{vault}.git`,
      NOTES_GIT_AUTHOR: 'Ada Lovelace',
      NOTES_GIT_EMAIL: 'ada@example.com',
    },
  });
  await notes.call('note_create', { path: 'b.md', content: 'b\n', vault: 'work' });
  const root = join(data, 'work');
  await until(() => git(root, 'log', '--format=%an <%ae>', '-2', '--', 'b.md') !== '');
  assert.equal(git(root, 'log', '-1', '--format=%an <%ae>'), 'Ada Lovelace <ada@example.com>');
  for (const vault of ['default', 'work']) {
    const head = () => git(join(data, vault), 'rev-parse', 'HEAD');
    await until(() => {
      const pushed = git(join(remotes, `${vault}.git`), 'for-each-ref', '--format=%(objectname)');
      return pushed === head();
    });
  }
});

test('what was written before the end is committed by the end', async (context) => {
  const notes = await startNotes(context, { env: { NOTES_GIT: 'true' } });
  for (const name of ['a', 'b', 'c']) {
    await notes.call('note_create', { path: `${name}.md`, content: `${name}\n` });
  }
  assert.equal(await notes.stop(), 0);
  const root = join(notes.data, 'default');
  assert.deepEqual(git(root, 'ls-files').split('\n'), ['a.md', 'b.md', 'c.md']);
  assert.equal(git(root, 'status', '--porcelain'), '');
  assert.equal(git(root, 'log', '--oneline', '--', 'a.md', 'b.md', 'c.md').split('\n').length, 3);
});

test('a remote that never answers does not keep the server from ending', {
  timeout: 25_000,
}, async (context) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const env = { NOTES_GIT: 'true', NOTES_GIT_REMOTE: `http://127.0.0.1:${port}/notes.git` };
  const connected = once(silent, 'connection');
  const notes = await startNotes(context, { env });
  await notes.call('note_create', { path: 'a.md', content: 'a\n' });
  await connected;
  assert.equal(await notes.stop(), 0);
  assert.equal(notes.lines().at(-1)?.event, 'shutdown');
  assert.equal(git(join(notes.data, 'default'), 'ls-files'), 'a.md');
});

test('several vaults and a remote without {vault}: the start is refused', async (context) => {
  const data = dataDirectory(context);
  place(data, { 'a/x.md': 'x', 'b/y.md': 'y' });
  const env = { ...notesEnvironment(data), NOTES_GIT: 'true', NOTES_GIT_REMOTE: '/srv/notes.git' };
  const { code, stdout, stderr } = await runNotes([], { env });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    'environment: NOTES_GIT_REMOTE: there are 2 vaults, each of which needs its own remote; put {vault} where the name of the vault belongs\n',
  );
  assert.equal(parseLines(stdout)[0]?.event, 'config_error');
});
