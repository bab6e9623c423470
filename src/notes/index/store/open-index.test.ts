import assert from 'node:assert/strict';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { put, temporaryDirectory } from '../../../../test/support/notes/notes-storage.ts';
import { openIndex } from './open-index.ts';

for (const suffix of ['', '-wal', '-shm', '-journal']) {
  test(`a link at index.db${suffix} is removed, and what it leads to is left alone`, async (t) => {
    const directory = await temporaryDirectory(t);
    await put(directory, 'outside', '');
    const file = join(directory, 'index.db');
    await symlink(join(directory, 'outside'), file + suffix);
    const sql = openIndex(file);
    t.after(() => sql.close());
    assert.ok(!(await lstat(file + suffix).catch(() => undefined))?.isSymbolicLink());
    assert.equal(await readFile(join(directory, 'outside'), 'utf8'), '');
    assert.equal(sql.get<{ files: number }>('SELECT count(*) AS files FROM files')?.files, 0);
  });
}
