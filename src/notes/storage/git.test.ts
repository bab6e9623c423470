import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gitHttpServer } from '../../../test/support/git-http.ts';
import {
  at,
  get,
  put,
  recordingLog,
  temporaryDirectory,
  tree,
  until,
} from '../../../test/support/notes-storage.ts';
import { Secret } from '../../core/secret.ts';
import { remoteProblem } from './git-push.ts';
import { type GitSettings, Vault } from './vault.ts';

const AUTHOR = { name: 'Ada', email: 'ada@localhost' };
const TOKEN = 'ghp_a-secret-token-of-some-length';
const HEX = /^[0-9a-f]{40}$/;

async function gitVault(
  t: TestContext,
  settings: { root?: string; files?: Record<string, string> } & Partial<GitSettings> = {},
): Promise<{ vault: Vault; root: string; lines: string[]; git: (...args: string[]) => string }> {
  const { root = join(await temporaryDirectory(t), 'vault'), files = {}, ...git } = settings;
  await mkdir(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) await put(root, path, content);
  const { log, lines } = recordingLog();
  const vault = await Vault.open({
    name: 'vault',
    root,
    difference: () => '',
    git: { author: AUTHOR, ...git },
    log,
  });
  t.after(() => vault.close());
  await vault.git!.settled();
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { vault, root, lines, git: run };
}

async function write(vault: Vault, path: string, content: string): Promise<string> {
  const { changeId } = await vault.changes.run(
    { tool: 'note_edit', scope: [at(path)] },
    async (tx) => {
      if (await tx.find(at(path))) await tx.write(at(path), Buffer.from(content));
      else await tx.create(at(path), Buffer.from(content));
    },
  );
  return changeId!;
}

async function bareRemote(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', 'vault.git'], {
    cwd: directory,
  });
  execFileSync('git', ['config', 'http.receivepack', 'true'], {
    cwd: join(directory, 'vault.git'),
  });
  return directory;
}

function remoteHead(directory: string): string {
  return execFileSync('git', ['rev-parse', 'main'], {
    cwd: join(directory, 'vault.git'),
    encoding: 'utf8',
  }).trim();
}

test('every change has exactly one commit that names the tool and the note', async (t) => {
  const { vault, git } = await gitVault(t, { files: { 'a.md': 'a', 'b.md': 'b' } });
  const ids = [
    await write(vault, 'a.md', 'a2'),
    await write(vault, 'folder/new note.md', 'new'),
    (
      await vault.changes.run({ tool: 'note_move', scope: 'vault' }, async (tx) => {
        await tx.move(at('b.md'), at('folder/b.md'));
        await tx.write(at('a.md'), Buffer.from('a3 [[folder/b]]'));
      })
    ).changeId!,
    (
      await vault.changes.run({ tool: 'note_delete', scope: 'vault' }, (tx) =>
        tx.remove(at('a.md')),
      )
    ).changeId!,
  ];
  await vault.git!.settled();
  assert.deepEqual(git('log', '--reverse', '--format=%s').trim().split('\n'), [
    'notes: history begins',
    'note_edit: a.md',
    'note_edit: folder/new note.md',
    'note_move: folder/b.md and 2 more',
    'note_delete: a.md',
  ]);
  assert.match(git('log', '-1', '--format=%an <%ae>'), /^Ada <ada@localhost>$/m);
  for (const id of ids) {
    const commit = vault.git!.commitOf(id);
    assert.match(commit!, HEX);
    assert.equal(await vault.history.commitOf(id), commit);
  }
  assert.equal(git('status', '--porcelain'), '');
  git('fsck', '--strict');
  assert.deepEqual(git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n'), [
    'folder/b.md',
    'folder/new note.md',
  ]);
});

test('200 parallel changes are 200 commits in the order of each note, and the work tree is clean', async (t) => {
  const { vault, git } = await gitVault(t);
  await Promise.all(Array.from({ length: 200 }, (_, i) => write(vault, `n${i % 20}.md`, `${i}\n`)));
  await vault.git!.settled();
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '201');
  assert.equal(
    git('log', '--format=%(trailers:key=Notes-Change,valueonly,separator=)')
      .split('\n')
      .filter((id) => id).length,
    200,
  );
  assert.equal(
    git('log', '--diff-filter=M', '--format=', '--name-only').trim().split('\n').length,
    180,
  );
  assert.equal(git('status', '--porcelain'), '');
});

test('what others edited, staged or added at other paths never enters our commits', async (t) => {
  const { vault, root, git } = await gitVault(t, {
    files: { 'a.md': 'a', 'theirs.md': 'theirs', 'staged.md': 's' },
  });
  await put(root, 'theirs.md', 'edited');
  await put(root, 'staged.md', 'staged edit');
  await put(root, 'untracked.md', 'untracked');
  git('add', 'staged.md');
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.equal(git('show', '--format=', '--name-only', 'HEAD').trim(), 'a.md');
  assert.deepEqual(git('status', '--porcelain').trimEnd().split('\n'), [
    'M  staged.md',
    ' M theirs.md',
    '?? untracked.md',
  ]);
});

test('an owner’s commit between ours is built upon, and his repository stays his', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, 'a.md', 'a');
  execFileSync(
    'sh',
    [
      '-c',
      'git init -q -b trunk && git add . && git -c user.name=x -c user.email=x commit -qm first && echo more >> .git/info/exclude',
    ],
    { cwd: root },
  );
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'ours');
  await vault.git!.settled();
  await put(root, 'b.md', 'b');
  git('add', 'b.md');
  git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'his');
  await write(vault, 'a.md', 'ours again');
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'note_edit: a.md',
    'his',
    'note_edit: a.md',
    'first',
  ]);
  assert.equal(git('symbolic-ref', 'HEAD').trim(), 'refs/heads/trunk');
  assert.match(await get(root, '.git/info/exclude'), /^more$/m);
  assert.equal(git('status', '--porcelain'), '');
});

test('notes that the owner’s rules ignore are not committed', async (t) => {
  const { vault, git } = await gitVault(t, { files: { '.gitignore': 'private/\n' } });
  const id = await write(vault, 'private/diary.md', 'secret');
  const other = await vault.changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    await tx.create(at('private/b.md'), Buffer.from('secret'));
    await tx.create(at('public.md'), Buffer.from('public'));
  });
  await vault.git!.settled();
  assert.equal(vault.git!.commitOf(id), null);
  assert.match(vault.git!.commitOf(other.changeId!)!, HEX);
  assert.equal(git('ls-files').includes('private'), false);
});

test('what a filter of the owner makes of a note is what is committed', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await put(root, '.gitattributes', '*.md filter=upper\ncrlf.md text\n');
  execFileSync(
    'sh',
    [
      '-c',
      'git init -q && git config filter.upper.clean "tr a-z A-Z" && git config filter.upper.smudge "tr A-Z a-z"',
    ],
    { cwd: root },
  );
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'plain\n');
  await write(vault, 'crlf.md', 'x\r\n');
  await vault.git!.settled();
  assert.equal(git('cat-file', 'blob', 'HEAD:a.md'), 'PLAIN\n');
  assert.equal(git('cat-file', 'blob', 'HEAD:crlf.md'), 'X\n');
  assert.equal(
    String(await vault.history.fileAt(at('a.md'), git('rev-parse', 'HEAD').trim())),
    'plain\n',
  );
  assert.equal(git('status', '--porcelain', '--', 'a.md', 'crlf.md'), '');
});

test('hooks and monitors never run', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  const remote = await bareRemote(t);
  const trace = join(root, '..', 'ran');
  await put(root, 'a.md', 'a');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const hooks = [
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'pre-push',
    'post-index-change',
    'post-checkout',
    'monitor',
    'pre-auto-gc',
  ];
  for (const hook of hooks) {
    const file = join(root, '.git/hooks', hook);
    await mkdir(join(root, '.git/hooks'), { recursive: true });
    await writeFile(file, `#!/bin/sh\necho ${hook} >> ${trace}\n`);
    await chmod(file, 0o755);
  }
  execFileSync('git', ['config', 'core.fsmonitor', join(root, '.git/hooks/monitor')], {
    cwd: root,
  });
  const { vault } = await gitVault(t, { root, remote: join(remote, 'vault.git') });
  const pushed = vault.git!.pushAttempted();
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  await pushed;
  await vault.history.revisions({ path: at('a.md'), limit: 5 });
  await assert.rejects(stat(trace), { code: 'ENOENT' });
});

const ODD = [
  '-x.md',
  '*.md',
  ':(glob)a.md',
  ':!b.md',
  '--output=x.md',
  'a"b.md',
  "a'b.md",
  'a b.md',
  'ü.md',
  '[a].md',
  '$(id).md',
  ':/a.md',
  '@{-1}.md',
  'HEAD',
  '-',
];
test('notes with odd names do nothing unusual', async (t) => {
  const files = { 'a.md': 'a', 'b.md': 'b', 'x/y.md': 'y' };
  const { vault, root, git } = await gitVault(t, { files });
  for (const content of ['one', 'two']) {
    for (const path of ODD) await write(vault, path, `${content} of ${path}\n`);
    await vault.git!.settled();
    assert.equal(git('status', '--porcelain'), '');
    assert.equal(git('ls-files').trim().split('\n').length, ODD.length + 3);
  }
  for (const path of ODD) {
    const revisions = await vault.history.revisions({ path: at(path), limit: 10 });
    assert.deepEqual(
      revisions.map((revision) => revision.path),
      [path, path],
    );
    const [newer, older] = revisions;
    assert.equal(String(await vault.history.fileAt(at(path), older!.commit)), `one of ${path}\n`);
    const difference = await vault.history.difference(older!.commit, newer!.commit, at(path));
    assert.deepEqual(difference.match(/^[-+]\w{3} /gm), ['-one ', '+two '], path);
  }
  for (const path of ODD) {
    await vault.changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.remove(at(path)));
  }
  await vault.git!.settled();
  assert.equal(git('status', '--porcelain'), '');
  assert.deepEqual(git('ls-files').trim().split('\n'), ['a.md', 'b.md', 'x/y.md']);
  assert.deepEqual(await tree(root), ['a.md', 'b.md', 'x/y.md']);
});

test('a revision is a full commit id and nothing else', async (t) => {
  const { vault, root } = await gitVault(t, { files: { 'a.md': 'a' } });
  const [newest] = await vault.history.revisions({ limit: 1 });
  const odd = [
    '--output=x',
    '-p',
    'HEAD',
    'main',
    'HEAD~1',
    '',
    '..',
    newest!.commit.slice(0, 12),
    `${newest!.commit}..`,
    `${newest!.commit}^`,
    '0'.repeat(40),
    'A'.repeat(40),
  ];
  for (const revision of odd) {
    await assert.rejects(
      vault.history.fileAt(at('a.md'), revision),
      { code: 'revision_not_found' },
      revision,
    );
    await assert.rejects(
      vault.history.difference(revision, newest!.commit),
      { code: 'revision_not_found' },
      revision,
    );
    await assert.rejects(
      vault.history.difference(newest!.commit, revision),
      { code: 'revision_not_found' },
      revision,
    );
  }
  await assert.rejects(vault.history.fileAt(at('missing.md'), newest!.commit), {
    code: 'revision_not_found',
  });
  assert.deepEqual((await readdir(root)).sort(), ['.git', '.notes', 'a.md']);
});

test('the history of a note follows its renames and pages', async (t) => {
  const { vault } = await gitVault(t, { files: { 'a.md': 'some text that stays\n'.repeat(5) } });
  const id = await write(vault, 'a.md', `${'some text that stays\n'.repeat(5)}more\n`);
  await vault.changes.run({ tool: 'note_move', scope: 'vault' }, (tx) =>
    tx.move(at('a.md'), at('f/b.md')),
  );
  await vault.git!.settled();
  const revisions = await vault.history.revisions({ path: at('f/b.md'), limit: 10 });
  assert.deepEqual(
    revisions.map(({ path, subject }) => [path, subject]),
    [
      ['f/b.md', 'note_move: f/b.md and 1 more'],
      ['a.md', 'note_edit: a.md'],
      ['a.md', 'notes: history begins'],
    ],
  );
  assert.equal(revisions[1]!.changeId, id);
  const second = await vault.history.revisions({ path: at('f/b.md'), limit: 1, skip: 1 });
  assert.deepEqual(second, [revisions[1]]);
});

test('a locked index holds no commit up, and a stale lock is removed', async (t) => {
  const { vault, root, git, lines } = await gitVault(t, { files: { 'a.md': 'a' } });
  const lock = join(root, '.git/index.lock');
  await writeFile(lock, '');
  const id = await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.match(vault.git!.commitOf(id)!, HEX);
  assert.match(vault.git!.state().lastError!, /index\.lock/);
  await stat(lock);
  const old = new Date(Date.now() - 120_000);
  await utimes(lock, old, old);
  await until(() => vault.git!.state().lastError === null);
  await assert.rejects(stat(lock), { code: 'ENOENT' });
  assert.equal(git('status', '--porcelain'), '');
  assert.match(lines.join(''), /git_lock_removed/);
});

test('a stale lock of the branch is removed and the commit follows', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'a.md': 'a' } });
  const lock = join(root, '.git/refs/heads/main.lock');
  await writeFile(lock, '');
  const old = new Date(Date.now() - 120_000);
  await utimes(lock, old, old);
  const id = await write(vault, 'a.md', 'a2');
  await until(() => vault.git!.commitOf(id) !== null);
  await vault.git!.settled();
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '2');
  assert.equal(git('status', '--porcelain'), '');
});

test('git that cannot commit fails no write, says so, and catches up', async (t) => {
  const { vault, root, git } = await gitVault(t, { files: { 'a.md': 'a' } });
  await rename(join(root, '.git/HEAD'), join(root, '.git/HEAD.away'));
  const ids = [await write(vault, 'a.md', 'a2'), await write(vault, 'b.md', 'b')];
  await vault.git!.settled();
  assert.equal(await get(root, 'a.md'), 'a2');
  assert.ok(vault.git!.state().lastError);
  assert.equal(vault.git!.state().pending, 2);
  await rename(join(root, '.git/HEAD.away'), join(root, '.git/HEAD'));
  await until(() => vault.git!.state().pending === 0);
  await vault.git!.settled();
  assert.ok(ids.every((id) => HEX.test(vault.git!.commitOf(id)!)));
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '3');
});

test('a .git that is a link is not used', async (t) => {
  const elsewhere = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q'], { cwd: elsewhere });
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  await symlink(join(elsewhere, '.git'), join(root, '.git'));
  const { vault } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  assert.match(vault.git!.state().lastError!, /symbolic link/);
});

test('commits are pushed to a remote as they are made', async (t) => {
  const remote = await bareRemote(t);
  const { vault } = await gitVault(t, { remote: join(remote, 'vault.git') });
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'ok');
  assert.equal(remoteHead(remote), vault.git!.state().head);
  assert.equal(vault.git!.state().unpushed, 0);
  assert.equal(vault.git!.state().lastError, null);
});

test('a remote that is down leaves the commits, is told of, and recovery pushes all', async (t) => {
  const remote = await bareRemote(t);
  await rename(join(remote, 'vault.git'), join(remote, 'away'));
  const { vault, root, lines } = await gitVault(t, { remote: join(remote, 'vault.git') });
  const id = await write(vault, 'a.md', 'a');
  await write(vault, 'b.md', 'b');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'failing');
  assert.match(vault.git!.commitOf(id)!, HEX);
  assert.equal(await get(root, 'b.md'), 'b');
  assert.ok(vault.git!.state().lastError);
  assert.match(lines.join(''), /git_push_failed/);
  await rename(join(remote, 'away'), join(remote, 'vault.git'));
  await until(() => vault.git!.state().push === 'ok');
  assert.equal(remoteHead(remote), vault.git!.state().head);
  assert.equal(vault.git!.state().unpushed, 0);
  assert.match(lines.join(''), /git_push_recovered/);
});

test('a remote that has gone its own way is not overwritten', async (t) => {
  const remote = await bareRemote(t);
  const { vault, git } = await gitVault(t, { remote: join(remote, 'vault.git') });
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'ok');
  const clone = await temporaryDirectory(t);
  execFileSync(
    'sh',
    [
      '-c',
      `git clone -q ${remote}/vault.git . && git -c user.name=x -c user.email=x commit -q --allow-empty -m theirs && git push -q`,
    ],
    { cwd: clone, stdio: 'ignore' },
  );
  const theirs = remoteHead(remote);
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'failing');
  assert.equal(remoteHead(remote), theirs);
  assert.equal(vault.git!.state().unpushed, 1);
  assert.match(vault.git!.state().lastError!, /rejected|fetch first|non-fast-forward/);
  git('pull', '-q', '--rebase', join(remote, 'vault.git'), 'main');
  await until(() => vault.git!.state().push === 'ok');
  assert.equal(remoteHead(remote), git('rev-parse', 'HEAD').trim());
});

test('what was left unpushed is pushed by the next start', async (t) => {
  const remote = await bareRemote(t);
  await rename(join(remote, 'vault.git'), join(remote, 'away'));
  const { vault, root } = await gitVault(t, { remote: join(remote, 'vault.git') });
  await write(vault, 'a.md', 'a');
  await vault.close();
  await rename(join(remote, 'away'), join(remote, 'vault.git'));
  const again = await gitVault(t, { root, remote: join(remote, 'vault.git') });
  await until(() => again.vault.git!.state().push === 'ok');
  assert.equal(remoteHead(remote), again.git('rev-parse', 'HEAD').trim());
});

test('the token reaches the remote and nothing else', async (t) => {
  const remote = await bareRemote(t);
  const server = await gitHttpServer(t, remote, TOKEN);
  const processes: string[] = [];
  server.watch = () => processes.push(...descendants());
  const { vault, root, lines } = await gitVault(t, {
    remote: `${server.url}/vault.git`,
    token: new Secret('git', TOKEN),
  });
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'ok');
  assert.equal(remoteHead(remote), vault.git!.state().head);
  const basic = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
  assert.ok(server.seen.includes(basic));
  assert.ok(server.seen.every((header) => header === undefined || header === basic));
  assert.ok(processes.some((command) => command.includes('remote-http')));
  const places = [
    lines.join(''),
    ...processes,
    JSON.stringify(vault.git!.state()),
    ...(await everyFile(root)),
  ];
  for (const form of [TOKEN, Buffer.from(TOKEN).toString('base64').replace(/=+$/, ''), basic]) {
    assert.ok(
      places.every((place) => !place.includes(form)),
      form,
    );
  }
});

test('a remote that echoes the token, or is refused it, puts it into no error and no log', async (t) => {
  const remote = await bareRemote(t);
  const server = await gitHttpServer(t, remote, TOKEN);
  server.behave = (request, response) => {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const [, password] = Buffer.from(authorization.split(' ')[1]!, 'base64').toString().split(':');
    response
      .writeHead(403, { 'content-type': 'text/plain' })
      .end(`no ${authorization} ${password}`);
  };
  const { vault, lines } = await gitVault(t, {
    remote: `${server.url}/vault.git`,
    token: new Secret('git', TOKEN),
  });
  await until(() => vault.git!.state().push === 'failing');
  assert.match(vault.git!.state().lastError!, /403/);
  assert.ok(!`${lines.join('')}${vault.git!.state().lastError}`.includes(TOKEN));
});

test('a remote that redirects elsewhere takes the token with it nowhere', async (t) => {
  const remote = await bareRemote(t);
  const server = await gitHttpServer(t, remote, TOKEN);
  const thief = await gitHttpServer(t, remote, 'another token');
  server.behave = (request, response) =>
    response.writeHead(302, { location: `${thief.url}${request.url}` }).end();
  const { vault } = await gitVault(t, {
    remote: `${server.url}/vault.git`,
    token: new Secret('git', TOKEN),
  });
  await until(() => vault.git!.state().push === 'failing');
  assert.deepEqual(thief.seen, []);
});

const REMOTES: [string, boolean][] = [
  ['https://git.example/a/b.git', true],
  ['https://user@git.example/a/b.git', true],
  ['ssh://git@git.example/a/b.git', true],
  ['git@git.example:a/b.git', true],
  ['/srv/git/notes.git', true],
  ['https://user:password@git.example/a.git', false],
  ['ext::sh -c id', false],
  ['--upload-pack=id', false],
  ['https://git.example/a b', false],
  ['fd::3', false],
];
for (const [remote, usable] of REMOTES) {
  test(`${remote} is ${usable ? 'a' : 'no'} remote`, () => {
    assert.equal(remoteProblem(remote) === undefined, usable);
  });
}

test('with git off the history is versioning_off and changes still work', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  const { log } = recordingLog();
  const vault = await Vault.open({ name: 'vault', root, difference: () => '', log });
  t.after(() => vault.close());
  await write(vault, 'a.md', 'a');
  assert.throws(() => vault.history, { code: 'versioning_off' });
  await assert.rejects(stat(join(root, '.git')), { code: 'ENOENT' });
});

test('changes made while git was off are not committed afterwards', async (t) => {
  const root = join(await temporaryDirectory(t), 'vault');
  await mkdir(root);
  const { log } = recordingLog();
  const off = await Vault.open({ name: 'vault', root, difference: () => '', log });
  await write(off, 'a.md', 'a');
  await off.close();
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a2');
  await vault.git!.settled();
  assert.deepEqual(git('log', '--format=%s').trim().split('\n'), [
    'note_edit: a.md',
    'notes: history begins',
  ]);
  await rm(root, { recursive: true });
});

/** The command lines and environments of the processes that descend from this one. */
function descendants(pid: number = process.pid): string[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : [];
  const children = threads
    .flatMap((thread) => contentOf(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => child !== '')
    .map(Number);
  return children.flatMap((child) => [
    contentOf(`/proc/${child}/cmdline`),
    contentOf(`/proc/${child}/environ`),
    ...descendants(child),
  ]);
}

/** A process may end while it is looked at. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

async function everyFile(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
}
