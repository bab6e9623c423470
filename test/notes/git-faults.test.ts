/**
 * Git through the tools of the running server, with a remote over HTTP that fails in every way: the
 * write stands, its result and vault_stats say how it is, and the token is nowhere to be read.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitHttpServer } from '../support/notes/git-http.ts';
import { dataDirectory, type NotesProcess, startNotes } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { commandLines } from '../support/programs/process.ts';

const TOKEN = 'ghp_a-token-of-some-length-0123456789';

function git(cwd: string, ...args: string[]): string {
  const options = ['-c', 'user.name=B', '-c', 'user.email=b@b.example', '-c', 'safe.directory=*'];
  return execFileSync('git', [...options, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

const gitState = async (notes: NotesProcess) => (await notes.call('vault_stats')).value.git;

/** Newest first, once every commit is made. */
async function revisionsOf(notes: NotesProcess, path: string): Promise<{ commit: string }[]> {
  await until(async () => (await gitState(notes)).pending === 0);
  return (await notes.call('note_history', { path })).value.revisions;
}

test('a remote that refuses, breaks off or has gone its own way: writes stand and are pushed later', async (context) => {
  const remotes = dataDirectory(context);
  const bare = join(remotes, 'vault.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  const server = await gitHttpServer(context, remotes, TOKEN);
  let notes: NotesProcess | undefined;
  const commands: string[] = [];
  server.watch = () => notes && commands.push(...commandLines(notes.pid));
  notes = await startNotes(context, {
    env: {
      NOTES_GIT: 'true',
      NOTES_GIT_REMOTE: `${server.url}/vault.git`,
      NOTES_GIT_TOKEN: TOKEN,
      NOTES_LOG_LEVEL: 'debug',
    },
  });
  const root = join(notes.data, 'default');
  const texts: string[] = [];
  let count = 0;
  const write = async () => {
    const path = `note-${count++}.md`;
    const { isError, value, text } = await notes.call('note_create', { path, content: 'x\n' });
    texts.push(text);
    assert.equal(isError, false, text);
    assert.equal(readFileSync(join(root, path), 'utf8'), 'x\n');
    return value;
  };
  const settles = async (state: string) => {
    await until(async () => (await gitState(notes)).push === state);
    const told = await gitState(notes);
    texts.push(JSON.stringify(told));
    return told;
  };
  const heads = () => {
    const ref = git(bare, 'for-each-ref', '--format=%(objectname)').split('\n');
    return [ref[0], git(root, 'rev-parse', 'HEAD')];
  };

  assert.equal((await write()).git.push, 'queued');
  await settles('ok');
  assert.ok(commands.some((line) => line.includes('push')));

  for (const behave of [
    (_: unknown, response: { destroy(): void }) => response.destroy(),
    (_: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(403).end(`no entry for ${TOKEN}`),
    (_: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end(),
  ]) {
    server.behave = behave;
    await write();
    const failing = await settles('failing');
    assert.ok(failing.unpushed >= 1);
    assert.notEqual(failing.last_error, null);
    assert.equal((await write()).git.push, 'failing');
    server.behave = undefined;
    await write();
    assert.equal((await settles('ok')).unpushed, 0);
    const [there, here] = heads();
    assert.equal(there, here);
  }

  // Somebody else pushes; nothing of his is overwritten, and nothing of ours is lost.
  const other = join(remotes, 'other');
  git(remotes, 'clone', '--quiet', bare, other);
  git(other, 'commit', '--quiet', '--allow-empty', '-m', 'theirs');
  git(other, 'push', '--quiet');
  const [theirs] = heads();
  await write();
  await settles('failing');
  assert.equal(heads()[0], theirs);
  git(root, 'pull', '--quiet', '--rebase', bare, 'HEAD');
  await write();
  await settles('ok');
  assert.equal(heads()[0], heads()[1]);
  assert.equal(git(root, 'ls-files').split('\n').length, count);

  const config = readFileSync(join(root, '.git/config'), 'utf8');
  const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');
  for (const text of [config, notes.stdout(), notes.stderr(), ...texts, ...commands]) {
    assert.ok(!text.includes(TOKEN) && !text.includes(basic), text.slice(0, 500));
  }
});

const ODD = [
  '-x.md',
  '--output=x.md',
  '*.md',
  ':(glob)a.md',
  ':!a.md',
  '[a-z].md',
  '$(touch y).md',
];
/** Those of plumbing commands, too: a commit is made without the command that runs the usual ones. */
const HOOKS = [
  ...['pre-commit', 'post-commit', 'commit-msg', 'post-checkout', 'pre-push'],
  ...['reference-transaction', 'post-index-change', 'pre-auto-gc', 'post-rewrite'],
];
const REVISIONS = [
  ...['--output=x', '-x', '--all', 'HEAD', 'HEAD~1', 'main', '@{u}', ':/', '^HEAD', '..', '0'],
  ...[`${'0'.repeat(40)}..HEAD`, '--exec=touch y', '\0', 'a'.repeat(40), 'HEAD:.git/config'],
];

test('odd names and revisions do nothing unusual in any tool, and hooks never run', async (context) => {
  const data = dataDirectory(context);
  const root = join(data, 'default');
  mkdirSync(root);
  git(root, 'init', '--quiet', '--initial-branch=main');
  for (const hook of HOOKS) {
    writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\ntouch "${data}/hook-ran"\n`);
    chmodSync(join(root, '.git/hooks', hook), 0o755);
  }
  git(root, 'config', 'core.fsmonitor', `touch ${data}/hook-ran`);
  const notes = await startNotes(context, { data, env: { NOTES_GIT: 'true' } });
  await notes.call('note_create', { path: 'a.md', content: 'mine\n' });
  for (const path of ODD) {
    const made = await notes.call('note_create', { path, content: `one ${path}\n` });
    assert.equal(made.isError, false, made.text);
    const { content_hash } = made.value;
    await notes.call('note_write', { path, content: 'two\n', content_hash });
    const [, first, ...others] = await revisionsOf(notes, path);
    assert.deepEqual(others, [], path);
    const old = await notes.call('note_read', { path, revision: first!.commit });
    assert.equal(old.value.content, `one ${path}\n`);
    await notes.call('note_restore', { path, revision: first!.commit });
    assert.equal(readFileSync(join(root, path), 'utf8'), `one ${path}\n`);
    const gone = await notes.call('note_delete', { path });
    assert.equal(gone.isError, false);
    await notes.call('note_restore', { trash_id: gone.value.trash_id });
    assert.equal((await notes.call('note_move', { path, to: `f/${path}` })).isError, false);
  }
  assert.equal(readFileSync(join(root, 'a.md'), 'utf8'), 'mine\n');
  assert.equal((await revisionsOf(notes, 'a.md')).length, 1);

  const before = readdirSync(root).toSorted();
  for (const revision of REVISIONS) {
    for (const [tool, args] of [
      ['note_read', { path: 'a.md', revision }],
      ['note_restore', { path: 'a.md', revision }],
      ['note_history', { path: 'a.md', from: revision }],
      ['note_history', { to: revision }],
      ['note_history', { from: revision, to: revision }],
    ] as const) {
      const { isError, value } = await notes.call(tool, args);
      assert.equal(isError, true, `${tool} ${revision}`);
      assert.notEqual(value.code, 'storage_error', `${tool} ${revision}`);
    }
  }
  assert.deepEqual(readdirSync(root).toSorted(), before);
  assert.equal(await notes.stop(), 0);
  assert.equal(existsSync(join(data, 'hook-ran')), false);
  assert.equal(git(root, '-c', 'core.fsmonitor=false', 'status', '--porcelain'), '');
});
