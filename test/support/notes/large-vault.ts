/**
 * The notes server over a large vault: built, searched, changed by its tools and from outside. The
 * figures are told, not judged.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { memoryKib } from '../programs/process.ts';
import { untilIndexIsFresh } from './index-equality.ts';
import { dataDirectory, type NotesProcess, startNotes } from './notes.ts';
import { randomFrom, writeVault, zipfWord } from './vault-generator.ts';

const MAX_COMPARED = 5000;

interface LargeVault {
  /** Notes in the folder that is moved and checked out. */
  readonly folderSize?: number;
  readonly searches?: number;
  /** With the index that a rebuild gives, unless the vault is so large that it takes minutes. */
  readonly isCompared?: boolean;
}
const MARK = 'zanzibarquince';

/** Polls the server itself: whatever it waits for takes as long as the machine is slow. */
async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (await check()) return;
    await wait(200);
  }
  throw new Error(`${what} did not come`);
}

const stats = async (notes: NotesProcess) => (await notes.call('vault_stats')).value;
const found = async (notes: NotesProcess, query: string): Promise<string[]> =>
  (await notes.call('note_search', { query, limit: 100 })).value.hits.map(
    ({ path }: { path: string }) => path,
  );
const memoryMb = ({ pid }: NotesProcess) => Math.round(memoryKib(pid, 'VmRSS') / 1024);

export function testLargeVault(
  size: number,
  { folderSize = 2000, searches = 300, isCompared = size <= MAX_COMPARED }: LargeVault = {},
): void {
  test(`a vault of ${size} notes`, { timeout: 1_800_000 }, async (context) => {
    const data = dataDirectory(context);
    const root = join(data, 'default');
    writeVault(root, { notes: size });
    const tell = teller(context);
    const notes = await startNotes(context, { data });
    await tell('index built', async () => {
      await eventually(async () => (await stats(notes)).index.state === 'ready', 'the index');
    });
    const { index, counts } = await stats(notes);
    assert.deepEqual([index.indexed, index.skipped, counts.notes], [size, 0, size]);

    await tell('one changed note found', async () => {
      writeFileSync(join(root, 'fresh.md'), `# Fresh\n\nA ${MARK}.\n`);
      await eventually(async () => (await found(notes, MARK)).includes('fresh.md'), 'the note');
    });
    await notes.call('note_delete', { path: 'fresh.md' });
    assert.deepEqual(await found(notes, MARK), []);

    const random = randomFrom(99);
    await tell(`${searches} searches`, async () => {
      for (let count = 0; count < searches; count++) {
        const { isError, value } = await notes.call('note_search', {
          query: `${zipfWord(random)} ${zipfWord(random)}`,
        });
        assert.equal(isError, false);
        assert.ok(Array.isArray(value.hits));
      }
    });
    context.diagnostic(`memory after the searches: ${memoryMb(notes)} MB`);

    await movedAndUndone(notes, root, tell, folderSize);
    await checkedOut(notes, root, tell, folderSize);
    context.diagnostic(`memory at the end: ${memoryMb(notes)} MB`);
    await eventually(async () => (await stats(notes)).index.state === 'ready', 'the last sweep');
    const { indexed, on_disk } = (await stats(notes)).index;
    assert.deepEqual([indexed, on_disk], [size + folderSize, size + folderSize]);
    if (isCompared) await untilIndexIsFresh(root);
  });
}

type Tell = (what: string, work: () => Promise<unknown>) => Promise<void>;

function teller(context: TestContext): Tell {
  return async (what, work) => {
    const beganMs = performance.now();
    await work();
    context.diagnostic(`${what}: ${Math.round(performance.now() - beganMs)} ms`);
  };
}

async function movedAndUndone(
  notes: NotesProcess,
  root: string,
  tell: Tell,
  folderSize: number,
): Promise<void> {
  mkdirSync(join(root, 'many'));
  for (let at = 0; at < folderSize; at++) {
    writeFileSync(
      join(root, `many/m${at}.md`),
      `# M${at}\n\n[[m${(at + 1) % folderSize}]] ${MARK}\n`,
    );
  }
  const count = async () => (await notes.call('vault_stats', { prefix: 'many' })).value.counts;
  await eventually(async () => (await count()).notes === folderSize, 'the folder');
  let change = '';
  await tell(`folder of ${folderSize} moved`, async () => {
    const { value } = await notes.call('note_move', { path: 'many/', to: 'other/deep/many' });
    assert.equal(value.moved_files, folderSize);
    change = value.change_id;
  });
  assert.ok((await found(notes, MARK)).every((path) => path.startsWith('other/deep/many/')));
  await tell('and back', async () => {
    assert.equal((await notes.call('change_undo', { change_id: change })).isError, false);
  });
  assert.equal((await count()).notes, folderSize);
  assert.equal(readFileSync(join(root, 'many/m7.md'), 'utf8'), `# M7\n\n[[m8]] ${MARK}\n`);
}

/** As an owner does it by hand: another branch of the folder, with other texts in its files. */
async function checkedOut(
  notes: NotesProcess,
  root: string,
  tell: Tell,
  folderSize: number,
): Promise<void> {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@a.example', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '--quiet', '--initial-branch=one');
  writeFileSync(join(root, '.gitignore'), '*\n!many/\n!many/*\n');
  git('add', 'many');
  git('commit', '--quiet', '-m', 'one');
  git('checkout', '--quiet', '-b', 'two');
  for (let at = 0; at < folderSize; at++) {
    writeFileSync(join(root, `many/m${at}.md`), `# M${at}\n\n[[m${at}]] other${MARK}\n`);
  }
  git('commit', '--quiet', '-am', 'two');
  git('checkout', '--quiet', 'one');
  const all = (word: string) => async () =>
    (await notes.call('note_search', { query: word })).value.hits.length > 0;
  await eventually(all(MARK), 'the first branch');
  await tell(`checkout of ${folderSize} files taken in`, async () => {
    git('checkout', '--quiet', 'two');
    await eventually(async () => (await found(notes, MARK)).length === 0, 'the second branch');
  });
  assert.equal((await found(notes, `other${MARK}`)).length, 100);
}
