import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';
import { DataDirectoryInUse, DataLock } from './data-lock.ts';

const HOLDER = `
  import { DataLock } from ${JSON.stringify(import.meta.resolve('./data-lock.ts'))};
  try {
    DataLock.take(process.argv[1]);
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
  const lock = DataLock.take(directory);
  assert.throws(() => DataLock.take(directory), DataDirectoryInUse);
  assert.equal((await holder(t, directory))[1], 'DataDirectoryInUse');
  lock.release();
  assert.equal((await holder(t, directory))[1], 'locked');
  assert.throws(() => DataLock.take(directory), /another notes server uses .*; stop it/);
});

test('kill -9 frees the lock at once', async (t) => {
  const directory = await temporaryDirectory(t);
  for (let round = 0; round < 3; round++) {
    const [child, said] = await holder(t, directory);
    assert.equal(said, 'locked');
    child.kill('SIGKILL');
    await once(child, 'close');
    DataLock.take(directory).release();
  }
  assert.deepEqual(await readdir(directory), ['.notes.lock']);
});

test('a lock whose file is removed is taken again, and told of where another was quicker', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, '.notes.lock');
  const lock = DataLock.take(directory);
  t.after(() => lock.release());
  const failures: unknown[] = [];
  lock.keep((error) => failures.push(error), 5);
  await rm(file);
  await until(() => existsSync(file));
  assert.equal((await holder(t, directory))[1], 'DataDirectoryInUse');
  assert.equal(failures.length, 0);

  const other = join(directory, 'other');
  await mkdir(other);
  const theirs = DataLock.take(other);
  await rename(join(other, '.notes.lock'), file);
  await until(() => failures.length > 0);
  assert.ok(failures[0] instanceof DataDirectoryInUse);
  theirs.release();
  await until(async () => (await holder(t, directory))[1] === 'DataDirectoryInUse');
  assert.equal(failures.length, 1);
});

test('what cannot be locked in the place of the lock is named with the cure', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, '.notes.lock');
  const said = new RegExp(`^Error: ${file} cannot be locked .*; remove it`);
  await mkdir(file);
  assert.throws(() => DataLock.take(directory), said);
  await rm(file, { recursive: true });
  await writeFile(file, 'no lock of ours'.repeat(100));
  assert.throws(() => DataLock.take(directory), said);
  await rm(file);
  DataLock.take(directory).release();
});

test('of many that start at once exactly one gets the lock', async (t) => {
  const directory = await temporaryDirectory(t);
  const said = await Promise.all(Array.from({ length: 6 }, () => holder(t, directory)));
  assert.equal(said.filter(([, line]) => line === 'locked').length, 1);
});
