/** `tools/build.ts` takes the place of the build before it, and nothing stands in between. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const PARTS = ['bin', 'build.json', 'chunks', 'decoys', 'decoys.json', 'programs'];

function folder(context: TestContext): string {
  const into = mkdtempSync(join(tmpdir(), 'build-test-'));
  context.after(() => rmSync(into, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(into, 'node_modules'));
  return into;
}

async function build(into: string, root = ROOT): Promise<number> {
  const child = spawn(process.execPath, [join(root, 'tools/build.ts'), into], { stdio: 'ignore' });
  const [code] = await once(child, 'close');
  return code;
}

test('two builds into one folder at the same time leave one that is whole', async (context) => {
  const into = folder(context);
  assert.deepEqual(await Promise.all([build(into), build(into)]), [0, 0]);
  assert.deepEqual(readdirSync(into).sort(), ['dist', 'node_modules', 'package.json']);
  assert.deepEqual(readdirSync(join(into, 'dist')).sort(), PARTS);
  for (const program of ['gateway', 'notes', 'decoys']) {
    const file = join(into, `dist/bin/${program}.js`);
    const said = execFileSync(process.execPath, [file, 'version'], { encoding: 'utf8' });
    assert.match(said, new RegExp(`^${program} \\d`));
  }
});

test('a build that fails leaves the previous one as it was, and nothing of its own', async (context) => {
  const into = folder(context);
  const root = join(into, 'checkout');
  for (const name of ['tools', 'src', 'bin', 'package.json']) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'bin/decoys.ts'), 'this is no program');
  mkdirSync(join(into, 'dist'));
  writeFileSync(join(into, 'dist/previous'), '');
  assert.equal(await build(into, root), 1);
  assert.ok(existsSync(join(into, 'dist/previous')));
  assert.deepEqual(readdirSync(into).sort(), ['checkout', 'dist', 'node_modules']);
});
