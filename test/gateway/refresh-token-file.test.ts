/** The file of a refresh token is whole at any moment, also when its writer is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  RefreshTokenFile,
  writeTokenFile,
} from '../../src/gateway/credentials/refresh-token-file.ts';

const MODULE = new URL('../../src/gateway/credentials/refresh-token-file.ts', import.meta.url);
/** Long, so that half of it can be told from all of it. */
const tokenOf = (letter: string) => letter.repeat(16_000);
let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'refresh-token-'));
});
after(() => rmSync(directory, { recursive: true }));
const path = (name: string) => join(directory, name);

test('a writer that is killed leaves one whole token, readable by its owner alone', async () => {
  const file = path('killed');
  writeFileSync(file, tokenOf('a'), { mode: 0o644 });
  const code = `import { writeTokenFile } from ${JSON.stringify(MODULE.href)};
    for (let i = 0; ; i++) {
      await writeTokenFile(${JSON.stringify(file)}, 'bcdef'[i % 5].repeat(16_000));
      if (i === 0) console.log('writing');
    }`;
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code]);
    await once(child.stdout, 'data');
    await setTimeout(round * 3);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.match(readFileSync(file, 'utf8'), /^(.)\1{15999}\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }
  await writeTokenFile(file, 'the next writer is not stopped by what was left');
  assert.deepEqual(readdirSync(directory), ['killed']);
});

test('a link stays, and what it leads to is replaced', async () => {
  mkdirSync(path('data'));
  writeFileSync(path('data/token'), 'old');
  symlinkSync(path('data/token'), path('link'));
  await writeTokenFile(path('link'), 'new');
  assert.equal(readFileSync(path('data/token'), 'utf8'), 'new\n');
  assert.equal(readFileSync(path('link'), 'utf8'), 'new\n');
});

describe('a token that cannot be written', () => {
  /** The folder is a file: not even root can write there. */
  const unwritable = () => {
    const errors: unknown[] = [];
    writeFileSync(path('unwritable'), 'first');
    mkdirSync(path('unwritable.next/blocked'), { recursive: true });
    const file = new RefreshTokenFile(path('unwritable'), (error) => errors.push(error));
    return { file, errors };
  };

  test('is kept in memory and reported; a file that somebody else replaces wins', async () => {
    const { file, errors } = unwritable();
    assert.equal(await file.read(), 'first');
    await file.replace('first', 'second');
    assert.equal(errors.length, 1);
    assert.equal(readFileSync(path('unwritable'), 'utf8'), 'first');
    assert.equal(await file.read(), 'second');
    await file.replace('second', 'third');
    assert.equal(await file.read(), 'third');
    writeFileSync(path('unwritable'), 'from gateway connect');
    assert.equal(await file.read(), 'from gateway connect');
  });

  test('is written with the next rotation, once that is possible', async () => {
    const { file } = unwritable();
    await file.replace('first', 'second');
    rmSync(path('unwritable.next'), { recursive: true });
    await file.replace('second', 'third');
    assert.equal(readFileSync(path('unwritable'), 'utf8'), 'third\n');
    assert.equal(await file.read(), 'third');
  });
});

const unreadable: [what: string, make: (file: string) => void, code: string][] = [
  ['no file', () => {}, 'no_refresh_token'],
  ['an empty file', (file) => writeFileSync(file, '\n'), 'no_refresh_token'],
  ['a folder', (file) => mkdirSync(file), 'unreadable_refresh_token'],
  ['a huge file', (file) => writeFileSync(file, 'x'.repeat(20_000)), 'unreadable_refresh_token'],
];
for (const [what, make, code] of unreadable) {
  test(`${what} is refused as ${code}`, async () => {
    const file = path(`unreadable ${what}`);
    make(file);
    await assert.rejects(new RefreshTokenFile(file, () => {}).read(), { code });
  });
}
