/** What cannot be read for the moment is a failure, never an empty vault or a folder without files. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { put, temporaryDirectory } from '../../../../test/support/notes/notes-storage.ts';
import { listFiles } from './vault-files.ts';

test('a vault that is not there, or cannot be entered, is a failure', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'file', 'no vault');
  for (const name of ['gone', 'file']) {
    assert.throws(() => [...listFiles(`${root}/${name}`)], name);
  }
});

test('a process out of descriptors fails to list a vault, a folder and a note', async (t) => {
  const root = await temporaryDirectory(t);
  await put(root, 'a.md', 'a');
  await put(root, 'd/b.md', 'b');
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { listFiles, VaultFiles } from ${JSON.stringify(import.meta.resolve('./vault-files.ts'))};
    const files = new VaultFiles(process.argv[1]);
    files.read('a.md');
    const used = [];
    try {
      for (;;) used.push(openSync('/dev/null'));
    } catch {}
    const attempt = (work) => {
      try {
        return JSON.stringify(work());
      } catch (error) {
        return error.code;
      }
    };
    const said = [attempt(() => files.read('a.md'))];
    for (let left = 0; left <= 3; left++) {
      said.push(attempt(() => [...listFiles(process.argv[1])].length));
      closeSync(used.pop());
    }
    said.push(attempt(() => [...listFiles(process.argv[1], 'd')].length));
    console.log(said.join(' '));
  `;
  const node = [process.execPath, '--input-type=module', '-e', script, root];
  const said = execFileSync('prlimit', ['--nofile=100', ...node], { encoding: 'utf8' });
  assert.equal(said.trim(), 'EMFILE EMFILE EMFILE EMFILE 2 1');
});
