import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesEnvironment } from '../../test/support/notes/notes.ts';
import { temporaryDirectory } from '../../test/support/notes/notes-storage.ts';
import { readNotesConfig } from './config.ts';
import { readData } from './data.ts';

type Obstacle = [about: string, make: (path: string) => Promise<void>, said: RegExp];

const OBSTACLES: Obstacle[] = [
  ['a link', (path) => symlink('/', path), /is a symbolic link, but a vault is a directory; move/],
  ['a file', (path) => writeFile(path, ''), /is not a directory, but a vault is a directory/],
];

async function problemsOf(data: string, env: Record<string, string> = {}): Promise<string[]> {
  const { config } = readNotesConfig({ ...notesEnvironment(data), ...env });
  return (await readData(config!)).problems.map(({ key, message }) => `${key}: ${message}`);
}

for (const [about, make, said] of OBSTACLES) {
  test(`${about} where the default vault belongs is reported before anything is opened`, async (t) => {
    const data = await temporaryDirectory(t);
    await make(join(data, 'default'));
    await make(join(data, 'work'));
    const path = new RegExp(`^NOTES_DATA: ${join(data, 'default')} `);
    const problems = await problemsOf(data);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, path);
    assert.match(problems[0]!, said);
    await mkdir(join(data, 'other'));
    const chosen = await problemsOf(data, { NOTES_DEFAULT_VAULT: 'work' });
    assert.equal(chosen.length, 1);
    assert.match(chosen[0]!, said);
    assert.deepEqual(await problemsOf(data), []);
  });
}
