import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { put, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';

/** To root no folder is shut. */
const NOBODY = 65532;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

test('a deletion that cannot be removed keeps neither older ones nor the journal from being purged', async (t) => {
  const root = await temporaryDirectory(t);
  const shut = '20260201T000000000Z-bbbbbbbb';
  for (const id of ['20260101T000000000Z-aaaaaaaa', shut]) {
    await put(root, `.notes/trash/${id}/n.md`, 'n');
  }
  const segment = '.notes/journal/000001.journal';
  await put(root, segment, 'old');
  await utimes(join(root, segment), LONG_AGO, LONG_AGO);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, root]);
  await chmod(join(root, '.notes/trash', shut), 0o500);
  const script = `
    import { Vault } from ${JSON.stringify(import.meta.resolve('./vault.ts'))};
    import { createLog } from ${JSON.stringify(import.meta.resolve('../../core/log/log.ts'))};
    const log = createLog({ level: 'debug', write: (line) => console.log(line) });
    const root = process.argv[1];
    const vault = await Vault.open({ name: 'v', root, difference: () => '', log });
    await vault.close();
  `;
  const node = ['--input-type=module', '-e', script, root];
  const lines = execFileSync(process.execPath, node, { encoding: 'utf8', ...user });
  await chmod(join(root, '.notes/trash', shut), 0o700);
  assert.deepEqual(await readdir(join(root, '.notes/trash')), [shut]);
  assert.deepEqual(await readdir(join(root, '.notes/journal')), []);
  assert.match(lines, /"step":"purge".*permission denied/);
});
