/** The programs as files: what they need of the folder they lie in. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

for (const program of ['gateway', 'notes', 'decoys']) {
  test(`${program} keeps its compiled code in its own folder, also where the name has a space`, () => {
    const parent = mkdtempSync(join(tmpdir(), 'bin-'));
    try {
      const folder = join(parent, 'my programs');
      mkdirSync(join(folder, 'bin'), { recursive: true });
      cpSync(here(`bin/${program}.ts`), join(folder, `bin/${program}.ts`));
      cpSync(here('package.json'), join(folder, 'package.json'));
      symlinkSync(here('src'), join(folder, 'src'));
      const { NODE_COMPILE_CACHE: _, ...env } = process.env;
      execFileSync(process.execPath, [join(folder, `bin/${program}.ts`), 'version'], { env });
      assert.ok(existsSync(join(folder, 'node_modules/.cache/gatehouse')));
      assert.deepEqual(readdirSync(parent), ['my programs']);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });
}
