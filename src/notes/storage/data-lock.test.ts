import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../../test/support/notes-storage.ts';
import { DataDirectoryInUse, lockDataDirectory } from './data-lock.ts';

const HOLDER = `
  import { lockDataDirectory } from ${JSON.stringify(import.meta.resolve('./data-lock.ts'))};
  try {
    lockDataDirectory(process.argv[1]);
    console.log('locked');
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.name);
  }
`;

async function holder(t: TestContext, directory: string): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, directory]);
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return [child, String(line).trim()];
}

test('a second instance is refused, in another process and in this one', async (t) => {
  const directory = await temporaryDirectory(t);
  const lock = lockDataDirectory(directory);
  assert.throws(() => lockDataDirectory(directory), DataDirectoryInUse);
  assert.equal((await holder(t, directory))[1], 'DataDirectoryInUse');
  lock.release();
  assert.equal((await holder(t, directory))[1], 'locked');
  assert.throws(() => lockDataDirectory(directory), /another notes server uses .*; stop it/);
});

test('kill -9 frees the lock at once', async (t) => {
  const directory = await temporaryDirectory(t);
  for (let round = 0; round < 3; round++) {
    const [child, said] = await holder(t, directory);
    assert.equal(said, 'locked');
    child.kill('SIGKILL');
    await once(child, 'close');
    lockDataDirectory(directory).release();
  }
  assert.deepEqual(await readdir(directory), ['.notes.lock']);
});

test('of many that start at once exactly one gets the lock', async (t) => {
  const directory = await temporaryDirectory(t);
  const said = await Promise.all(Array.from({ length: 6 }, () => holder(t, directory)));
  assert.equal(said.filter(([, line]) => line === 'locked').length, 1);
});
