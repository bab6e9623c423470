/** A disk that is full or read-only: refused with a code, nothing lost, nothing left behind. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  at,
  get,
  put,
  storageParts,
  temporaryDirectory,
  tree,
} from '../../../test/support/notes/notes-storage.ts';
import { dataDirectoryProblem, vaultProblem } from '../vaults/data-directory.ts';

const SUPPORT = fileURLToPath(
  new URL('../../../test/support/notes/notes-storage.ts', import.meta.url),
);
const NOBODY = 65532;

/** Runs a change in a separate process with other limits or another user, and returns the code. */
async function inChild(
  root: string,
  body: string,
  wrapper: string[],
  uid?: number,
): Promise<string> {
  const script = `
    import { at, storageParts } from ${JSON.stringify(SUPPORT)};
    const context = { after: () => {} };
    try {
      const { changes } = await storageParts(context, { root: process.argv[1] });
      const run = (work) => changes.run({ tool: 'test', scope: 'vault' }, work);
      ${body}
      console.log('ok');
    } catch (error) {
      console.log(error.code ?? error, error.data?.errno ?? '');
    }
  `;
  const [command, ...args] = [
    ...wrapper,
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    root,
  ];
  const child = spawn(command!, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid && { uid, gid: uid }),
  });
  const chunks: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString().trim();
}

const LIMITED = ['prlimit', '--fsize=65536'];
const BIG = `Buffer.alloc(200_000, 'x')`;
const FULL: [string, string][] = [
  ['a write', `await run((tx) => tx.write('a.md', ${BIG}));`],
  ['a new note', `await run((tx) => tx.create('new/folder/n.md', ${BIG}));`],
  [
    'the second of two writes',
    `await run(async (tx) => { await tx.write('a.md', Buffer.from('a2')); await tx.write('b.md', ${BIG}); });`,
  ],
  [
    'a new note after a move',
    `await run(async (tx) => { await tx.move('a.md', 'moved/a.md'); await tx.remove('b.md'); await tx.create('c.md', ${BIG}); });`,
  ],
];
for (const [what, body] of FULL) {
  test(`${what} that does not fit is storage_error and changes nothing`, async (t) => {
    const root = await temporaryDirectory(t);
    await put(root, 'a.md', 'a');
    await put(root, 'b.md', 'b');
    assert.equal(await inChild(root, body, LIMITED), 'storage_error EFBIG');
    assert.deepEqual(await tree(root), ['a.md', 'b.md']);
    assert.equal(await get(root, 'a.md'), 'a');
    assert.equal(await get(root, 'b.md'), 'b');
    assert.deepEqual((await readdir(root)).sort(), ['.notes', 'a.md', 'b.md']);
    const { changes } = await storageParts(t, { root });
    await changes.recover();
    await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
      tx.write(at('a.md'), Buffer.from('a3')),
    );
    assert.equal(await get(root, 'a.md'), 'a3');
  });
}

test('a journal that cannot grow refuses the change before a note is touched, and later ones work', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'big.md', 'x'.repeat(100_000));
  await put(root, 'a.md', 'a');
  const body = `
    const failed = await run((tx) => tx.write('big.md', Buffer.from('small'))).catch((error) => error.code);
    await run((tx) => tx.write('a.md', Buffer.from('a2')));
    console.log(failed);
  `;
  assert.equal(await inChild(root, body, LIMITED), 'storage_error\nok');
  assert.equal((await readFile(join(root, 'big.md'))).length, 100_000);
  assert.equal(await get(root, 'a.md'), 'a2');
});

test('a directory that may not be written is storage_error and stays as it is', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'locked/a.md', 'a');
  await put(root, 'b.md', 'b');
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  if (uid !== undefined) {
    await mkdir(join(root, '.notes'));
    for (const path of ['', '.notes', 'b.md', 'locked', 'locked/a.md']) {
      await chown(join(root, path), uid, uid);
    }
  }
  await chmod(join(root, 'locked'), 0o555);
  const bodies = [
    `await run((tx) => tx.write('locked/a.md', Buffer.from('a2')));`,
    `await run((tx) => tx.create('locked/new.md', Buffer.from('new')));`,
    `await run(async (tx) => { await tx.write('b.md', Buffer.from('b2')); await tx.move('locked/a.md', 'c.md'); });`,
    `await run((tx) => tx.remove('locked/a.md'));`,
  ];
  for (const body of bodies) {
    assert.equal(await inChild(root, body, [], uid), 'storage_error EACCES', body);
  }
  assert.deepEqual(await tree(root), ['b.md', 'locked/a.md']);
  assert.equal(await get(root, 'locked/a.md'), 'a');
  assert.equal(await get(root, 'b.md'), 'b');
  await chmod(join(root, 'locked'), 0o755);
});

/** Its own mounts, so that nobody else sees the disk change. */
const MOUNTS = ['unshare', '--mount', '--propagation', 'private'];
const canMount = spawnSync(MOUNTS[0]!, [...MOUNTS.slice(1), 'true']).status === 0;

test('a filesystem that was mounted read-only meanwhile is read_only, and stays as it is', {
  skip: canMount ? false : 'needs the right to mount',
}, async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'a.md', 'a');
  const remount = `
      const { execFileSync } = await import('node:child_process');
      execFileSync('mount', ['--bind', process.argv[1], process.argv[1]]);
      execFileSync('mount', ['-o', 'remount,ro,bind', process.argv[1]]);
    `;
  for (const change of [
    `tx.write('a.md', Buffer.from('a2'))`,
    `tx.create('new/n.md', Buffer.from('n'))`,
    `tx.move('a.md', 'b.md')`,
    `tx.remove('a.md')`,
  ]) {
    const body = `${remount} await run((tx) => ${change});`;
    assert.equal(await inChild(root, body, MOUNTS), 'read_only EROFS', change);
  }
  assert.deepEqual(await tree(root), ['a.md']);
  assert.equal(await get(root, 'a.md'), 'a');
});

test('a data directory of somebody else is named with its owner, our uid and the cure', async (t) => {
  const data = await temporaryDirectory(t);
  assert.equal(dataDirectoryProblem(data), undefined);
  assert.match(
    dataDirectoryProblem(join(data, 'none'))!,
    /does not exist; make it with: install -d/,
  );
  assert.match(dataDirectoryProblem(SUPPORT)!, /is not a directory/);
  await chmod(data, 0o500);
  const script = `
    import { dataDirectoryProblem, vaultProblem } from ${JSON.stringify(import.meta.resolve('../vaults/data-directory.ts'))};
    console.log(dataDirectoryProblem(process.argv[1]));
  `;
  const uid = process.getuid?.() === 0 ? NOBODY : process.getuid!();
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, data], {
    encoding: 'utf8',
    ...(process.getuid?.() === 0 && { uid, gid: uid }),
  });
  const owner = process.getuid?.() === 0 ? '0:0' : `${uid}:${process.getgid!()}`;
  assert.match(
    child.stdout,
    new RegExp(`is owned by ${owner} and not writable for uid ${uid}; run: chown -R ${uid}:`),
  );
});

test('a vault whose .git is a file, as in a worktree, can be used', async (t) => {
  const data = await temporaryDirectory(t);
  await put(data, 'v/.git', 'gitdir: /srv/repository/.git/worktrees/v\n');
  assert.equal(vaultProblem(data, 'v'), undefined);
});
