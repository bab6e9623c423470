/** What a crash left half done is taken back at the next start, whatever has become of its paths. */
import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  get,
  put,
  storageParts,
  temporaryDirectory,
  tree,
} from '../../../test/support/notes/notes-storage.ts';
import { contentHash } from '../files/content-hash.ts';
import { Journal } from './journal.ts';
import type { MoveOperation, Operation, WriteOperation } from './journal-record.ts';
import { temporaryName } from './steps.ts';

/** Of a note that held its own name before, and twice its name after. */
function written(path: string): WriteOperation {
  const before = Buffer.from(path);
  const afterHash = contentHash(Buffer.from(path + path));
  return { kind: 'write', path, before, beforeHash: contentHash(before), afterHash };
}

function moved(from: string, to: string): MoveOperation {
  return { kind: 'move', from, to, hash: contentHash(Buffer.from(from)) };
}

async function begun(
  root: string,
  changes: readonly (readonly Operation[])[],
  now = Date.now,
): Promise<void> {
  const journal = await Journal.open(root, now);
  for (const operations of changes) {
    await journal.begin({ tool: 'x', git: false, operations, folders: ['way/made'] });
  }
  await journal.close();
}

const OBSTACLES: [string, (root: string) => Promise<void>][] = [
  ['lies below a link', (root) => symlink('/tmp', join(root, 'way'))],
  ['lies below a file', (root) => put(root, 'way', 'file')],
  ['is a folder', async (root) => void (await mkdir(join(root, 'way/b.md'), { recursive: true }))],
  [
    'is a link',
    async (root) => {
      await mkdir(join(root, 'way'));
      await symlink('/etc/hostname', join(root, 'way/b.md'));
    },
  ],
];
const CUT_OFF: [string, Operation[]][] = [
  ['was written', [written('way/b.md')]],
  ['was written after another', [written('a.md'), written('way/b.md')]],
  ['was written before another', [written('way/b.md'), written('a.md'), written('last.md')]],
  ['was moved to', [written('a.md'), moved('m.md', 'way/b.md')]],
  ['was moved away', [written('a.md'), moved('way/b.md', 'm.md')]],
];
for (const [obstacle, lay] of OBSTACLES) {
  for (const [what, operations] of CUT_OFF) {
    test(`a path that ${what} and now ${obstacle} keeps nothing else from being taken back`, async (t) => {
      const root = await temporaryDirectory(t);
      const other = [written('c.md'), written('d.md')];
      await begun(root, [other, operations]);
      for (const path of ['a.md', 'c.md']) await put(root, path, path + path);
      for (const path of ['d.md', 'm.md']) await put(root, path, path);
      await lay(root);
      const { changes, journal, lines } = await storageParts(t, { root });
      await changes.recover();
      assert.equal(await get(root, 'c.md'), 'c.md');
      if (operations.length > 1) assert.equal(await get(root, 'a.md'), 'a.md');
      assert.deepEqual(await journal.unfinished(), []);
      assert.equal(lines.filter((line) => line.includes('change_recovered')).length, 2);
    });
  }
}

test('the path that could not be rolled back is reported', async (t) => {
  const root = await temporaryDirectory(t);
  await begun(root, [[written('a.md'), written('way/b.md')]]);
  await put(root, 'a.md', 'a.mda.md');
  await symlink('/tmp', join(root, 'way'));
  const { changes, lines } = await storageParts(t, { root });
  await changes.recover();
  assert.match(lines.join(''), /"changed_meanwhile":\["way\/b.md"\]/);
});

test('a change that was cut off is taken back however long ago that was', async (t) => {
  const root = await temporaryDirectory(t);
  await begun(root, [[written('a.md'), written('b.md')]], () => Date.now() - 100 * 86_400_000);
  await put(root, 'a.md', 'a.mda.md');
  await put(root, 'b.md', 'b.md');
  const { changes, journal } = await storageParts(t, { root });
  await changes.recover();
  assert.equal(await get(root, 'a.md'), 'a.md');
  assert.deepEqual(await journal.unfinished(), []);
});

test('a change whose end was not recorded stays, also where the owner has edited its last note since', async (t) => {
  const root = await temporaryDirectory(t);
  await begun(root, [[written('a.md'), written('b.md'), written('c.md')]]);
  for (const path of ['a.md', 'b.md']) await put(root, path, path + path);
  await put(root, 'c.md', 'c.mdc.md and a line of the owner');
  const { changes, journal, lines } = await storageParts(t, { root });
  await changes.recover();
  assert.equal(await get(root, 'a.md'), 'a.mda.md');
  assert.equal(await get(root, 'b.md'), 'b.mdb.md');
  assert.match(lines.join(''), /"outcome":"kept"/);
  assert.deepEqual(await journal.unfinished(), []);
});

test('a change that was cut off is taken back, also where the owner has edited what it had not reached', async (t) => {
  const root = await temporaryDirectory(t);
  await begun(root, [[written('a.md'), written('b.md')]]);
  const [{ id } = { id: '' }] = await (await Journal.open(root, Date.now)).unfinished();
  await put(root, 'a.md', 'a.mda.md');
  await put(root, 'b.md', 'b.md and a line of the owner');
  await put(root, temporaryName(id, 1), 'b.mdb.md');
  const { changes } = await storageParts(t, { root });
  await changes.recover();
  assert.equal(await get(root, 'a.md'), 'a.md');
  assert.equal(await get(root, 'b.md'), 'b.md and a line of the owner');
  assert.deepEqual(await tree(root), ['a.md', 'b.md']);
});

for (const [which, suffix] of [
  ['of this version', 'r.tmp'],
  ['of an earlier version', '.tmpr'],
]) {
  test(`a recovery that was killed itself, ${which}, is done again and leaves no file`, async (t) => {
    const root = await temporaryDirectory(t);
    await begun(root, [[written('a.md'), written('b.md')]]);
    const [{ id } = { id: '' }] = await (await Journal.open(root, Date.now)).unfinished();
    await put(root, 'a.md', 'a.mda.md');
    await put(root, 'b.md', 'b.md');
    await put(root, `.~${id}-0${suffix}`, 'a.');
    const { changes } = await storageParts(t, { root });
    await changes.recover();
    assert.equal(await get(root, 'a.md'), 'a.md');
    assert.deepEqual(await tree(root), ['a.md', 'b.md']);
  });
}
