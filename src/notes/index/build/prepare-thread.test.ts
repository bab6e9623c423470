import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PrepareThread } from './prepare-thread.ts';

const KIB = 1024;
const SIZE = 16 * KIB;

function vault(t: TestContext, count: number, size: number) {
  const root = mkdtempSync(join(tmpdir(), 'prepare-'));
  const thread = new PrepareThread(root);
  t.after(async () => {
    await thread.end();
    rmSync(root, { recursive: true, force: true });
  });
  const files = Array.from({ length: count }, (_, n) => ({
    path: `${n}.md`,
    size,
    mtimeMs: 0,
    isIndexed: n % 2 === 1,
  }));
  for (const { path } of files) writeFileSync(join(root, path), `${path} `.padEnd(size, 'words '));
  return { root, thread, files };
}

test('every file comes once and in order, also of those that were found before the others', async (t) => {
  const { thread, files } = vault(t, 500, 10);
  const found = files.slice(0, 200);
  thread.begin(found);
  found.push(...files.slice(200));
  const paths: string[] = [];
  for await (const group of thread.prepared(found)) {
    for (const [path, prepared] of group) {
      assert.equal(prepared?.stamp.path, path);
      paths.push(path);
    }
  }
  assert.deepEqual(
    paths,
    files.map(({ path }) => path),
  );
});

test('the words of a note are computed ahead only where the index has no former version', async (t) => {
  const { thread, files } = vault(t, 4, 10);
  for await (const group of thread.prepared(files)) {
    for (const [at, [, prepared]] of group.entries()) {
      assert.equal(prepared?.note?.searchable !== undefined, !files[at]!.isIndexed);
    }
  }
});

test('of large notes only a few are prepared before they are written', async (t) => {
  const { root, thread, files } = vault(t, 300, SIZE);
  let prepared = 0;
  for await (const group of thread.prepared(files)) {
    if (prepared === 0) {
      await delay(1000);
      // What has not been read by now never is.
      for (const { path } of files) rmSync(join(root, path));
    }
    prepared += group.filter(([, file]) => file !== null).length;
  }
  assert.ok(prepared >= 16);
  assert.ok(prepared * SIZE <= 512 * KIB, `${prepared} notes`);
});
