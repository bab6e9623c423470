import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type ArchiveForm, archiveOf } from './archive.ts';

const FILES = [
  { name: 'site/.env', text: 'DB_PASSWORD=x\n' },
  { name: 'site/dump.sql', text: `${'-- dump\n'.repeat(200)}` },
];
const UNPACK: readonly (readonly [ArchiveForm, string, readonly string[]])[] = [
  ['zip', 'python3', ['-m', 'zipfile', '-e', 'archive', '.']],
  ['tar', 'tar', ['-xf', 'archive']],
  ['tar.gz', 'tar', ['-xzf', 'archive']],
];

for (const [form, program, args] of UNPACK) {
  const isMissing = spawnSync(program, ['--version']).error !== undefined;
  test(`${program} unpacks ${form}`, { skip: isMissing && `${program} is not installed` }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'archive-'));
    try {
      writeFileSync(join(folder, 'archive'), archiveOf(form, FILES, Date.UTC(2026, 10, 15)));
      const { status, stderr } = spawnSync(program, [...args], { cwd: folder, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      for (const { name, text } of FILES) {
        assert.equal(readFileSync(join(folder, name), 'utf8'), text);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('gz holds the first file', () => {
  assert.equal(gunzipSync(archiveOf('gz', FILES, 0)).toString(), FILES[0]!.text);
});
