/** Commits reach the remote, and the token reaches nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitHttpServer } from '../../../test/support/notes/git-http.ts';
import {
  bareRemote,
  COMMIT_ID,
  gitVault,
  remoteHead,
  write,
} from '../../../test/support/notes/git-vault.ts';
import { get, temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { remoteProblem } from './git-push.ts';

const TOKEN = 'ghp_a-secret-token-of-some-length';

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

for (const packed of [false, true]) {
  const kept = packed ? 'packed' : 'a file';
  test(`a commit made by hand is seen and pushed without a change of ours; its ref is ${kept}`, async (t) => {
    const remote = await bareRemote(t);
    const { vault, git } = await gitVault(t, { remote: join(remote, 'vault.git') });
    await until(() => vault.git!.state().push === 'ok');
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x'];
    git(...identity, 'commit', '-q', '--allow-empty', '-m', 'his');
    if (packed) git('pack-refs', '--all');
    const { head, push } = vault.git!.state();
    assert.deepEqual([head, push], [git('rev-parse', 'HEAD').trim(), 'queued']);
    await until(() => vault.git!.state().push === 'ok');
    assert.equal(remoteHead(remote), head);
    assert.equal(vault.git!.state().unpushed, 0);
  });
}

test('a remote that is down is reported, loses no commit, and gets all once it is back', async (t) => {
  const remote = await bareRemote(t);
  await rename(join(remote, 'vault.git'), join(remote, 'away'));
  const { vault, root, lines } = await gitVault(t, { remote: join(remote, 'vault.git') });
  const id = await write(vault, 'a.md', 'a');
  await write(vault, 'b.md', 'b');
  await vault.git!.settled();
  await until(() => vault.git!.state().push === 'failing');
  assert.match(vault.git!.commitOf(id)!, COMMIT_ID);
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

test('a push takes along no tag and no submodule, whatever the repository is set to', async (t) => {
  const remote = await bareRemote(t);
  const folder = await temporaryDirectory(t);
  const his = ['-c', 'user.name=x', '-c', 'user.email=x'];
  const run = (cwd: string, ...args: string[]) => execFileSync('git', [...his, ...args], { cwd });
  run(folder, 'init', '-q', '--bare', '-b', 'main', 'sub.git');
  const { vault, root, git } = await gitVault(t, { remote: join(remote, 'vault.git') });
  await until(() => vault.git!.state().push === 'ok');
  const sub = join(root, 'sub');
  const allowed = ['-c', 'protocol.file.allow=always'];
  run(root, 'clone', '-q', join(folder, 'sub.git'), 'sub');
  run(sub, 'commit', '-q', '--allow-empty', '-m', 'first');
  run(sub, 'push', '-q', '-u', 'origin', 'HEAD:main');
  run(root, ...allowed, 'submodule', '--quiet', 'add', join(folder, 'sub.git'), 'sub');
  run(sub, 'commit', '-q', '--allow-empty', '-m', 'not pushed');
  git('add', 'sub');
  run(root, 'commit', '-qm', 'his');
  run(root, 'tag', '-m', 'private', 'private');
  git('config', 'push.recurseSubmodules', 'on-demand');
  git('config', 'push.followTags', 'true');
  await write(vault, 'a.md', 'a');
  await vault.git!.settled();
  await until(() => ['ok', 'failing'].includes(vault.git!.state().push));
  assert.equal(vault.git!.state().lastError, null);
  assert.equal(remoteHead(remote), vault.git!.state().head);
  assert.equal(String(run(join(remote, 'vault.git'), 'tag')), '');
  assert.equal(String(run(join(folder, 'sub.git'), 'log', '--format=%s', 'main')), 'first\n');
});
