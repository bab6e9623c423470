import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { dumpVaultIndex } from '../../../test/support/notes/index-dump.ts';
import { until } from '../../../test/support/notes/notes-storage.ts';
import { writeVault } from '../../../test/support/notes/vault-generator.ts';
import { PATIENCE_MS } from '../../../test/support/programs/patience.ts';
import { type IndexState, NoteIndex } from './note-index.ts';
import { IndexError } from './store/index-error.ts';
import { IndexWorkers } from './workers/index-workers.ts';

/** Starting threads takes longer than most tests. Those that disturb the threads have their own. */
const shared = new IndexWorkers();

async function opened(
  t: TestContext,
  options: { notes?: number; scanTimeoutMs?: number; onState?: (state: IndexState) => void } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'note-index-'));
  if (options.notes) writeVault(root, { notes: options.notes });
  const { scanTimeoutMs, onState } = options;
  const workers = scanTimeoutMs === undefined ? shared : new IndexWorkers({ scanTimeoutMs });
  const file = join(root, '.notes', 'index.db');
  const index = await NoteIndex.open({ root, file, workers, ...(onState && { onState }) });
  t.after(async () => {
    await index.close();
    if (workers !== shared) await workers.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, file, index, workers };
}

const put = (index: NoteIndex, path: string, text: string) =>
  index.upsert(path, Buffer.from(text), 1);

describe('the index as the program sees it', () => {
  test('a write is found as soon as its promise resolves, and gone after its removal', async (t) => {
    const { index } = await opened(t);
    await index.build();
    await put(index, 'a.md', '# A\n\nzebra');
    const found = await index.search({ query: 'zebra' });
    assert.deepEqual(
      found.items.map(({ path }) => path),
      ['a.md'],
    );
    assert.deepEqual(index.state(), { state: 'ready', indexed: 1, onDisk: 1, skipped: 0 });
    await index.remove('a.md');
    assert.deepEqual((await index.search({ query: 'zebra' })).items, []);
    assert.equal(index.state().indexed, 0);
  });

  test('a search and a write are answered while a build runs, and the state shows it', async (t) => {
    const states: IndexState[] = [];
    const { index } = await opened(t, { notes: 400, onState: (state) => states.push(state) });
    // The thread that reads has started: on a slow machine that takes longer than the build.
    await index.search({ query: 'zebra' });
    const order: string[] = [];
    const build = index.build().then(() => order.push('build'));
    await put(index, 'early.md', 'a zebra before the end').then(() => order.push('write'));
    const { items } = await index.search({ query: 'zebra' });
    order.push('search');
    await build;
    assert.deepEqual(order, ['write', 'search', 'build']);
    assert.equal(items[0]?.path, 'early.md');
    assert.ok(
      states.some(({ state, indexed, onDisk }) => state === 'building' && indexed < onDisk),
    );
    assert.equal(index.state().state, 'ready');
  });

  for (const operation of ['upsert', 'build']) {
    test(`a failed ${operation} shows in the state with its reason, until a build that follows by itself`, async (t) => {
      const { root, index, workers } = await opened(t);
      await index.build();
      const { write } = workers;
      const full = t.mock.method(workers, 'write', ((...call) =>
        call[1] === operation
          ? Promise.reject(new IndexError('storage_error', 'the disk is full'))
          : write.apply(workers, call)) as typeof write);
      writeFileSync(join(root, 'a.md'), 'zebra');
      const attempt = operation === 'build' ? index.build() : put(index, 'a.md', 'zebra');
      await assert.rejects(attempt, { message: 'the disk is full' });
      const { state, reason } = index.state();
      assert.deepEqual([state, reason], ['degraded', 'the disk is full']);
      full.mock.restore();
      await until(() => index.state().state === 'ready');
      assert.equal((await index.search({ query: 'zebra' })).items[0]?.path, 'a.md');
      assert.equal(index.state().reason, undefined);
    });
  }

  test('a catastrophic regular expression is stopped, and the next question is answered', async (t) => {
    const { index } = await opened(t, { scanTimeoutMs: 300 });
    await put(index, 'a.md', `${'a'.repeat(60)}!`);
    await assert.rejects(index.grep({ pattern: '^(a+)+$', regex: true }), {
      code: 'regex_timeout',
    });
    const { matches } = await index.grep({ pattern: 'a!$', regex: true });
    assert.deepEqual(
      matches.map(({ line }) => line),
      [1],
    );
  });

  test('other questions do not wait for an expression that never ends', async (t) => {
    const { index, workers } = await opened(t, { scanTimeoutMs: PATIENCE_MS });
    await put(index, 'a.md', `${'a'.repeat(60)}! zebra`);
    const order: string[] = [];
    const grep = index.grep({ pattern: '^(a+)+$', regex: true }).catch(() => order.push('grep'));
    await index.search({ query: 'zebra' }).then(() => order.push('search'));
    await put(index, 'b.md', 'zebra').then(() => order.push('write'));
    await workers.close();
    await grep;
    assert.deepEqual(order, ['search', 'write', 'grep']);
  });

  test('an expression that is none is said to be invalid', async (t) => {
    const { index } = await opened(t);
    await assert.rejects(index.grep({ pattern: '(', regex: true }), { code: 'regex_invalid' });
  });

  test('a file that is damaged while it is open is built anew by itself', async (t) => {
    const ready = Promise.withResolvers<void>();
    let isDamaged = false;
    const onState = ({ state }: IndexState) => {
      if (isDamaged && state === 'ready') ready.resolve();
    };
    const { root, index, file } = await opened(t, { notes: 40, onState });
    await index.build();
    const before = dumpVaultIndex(root);
    const damaged = await open(file, 'r+');
    await damaged.write(Buffer.alloc((await damaged.stat()).size, 0xaa), 0);
    await damaged.close();
    writeFileSync(`${file}-wal`, '');
    isDamaged = true;
    await assert.rejects(index.tags(), { code: 'index_building' });
    await ready.promise;
    assert.deepEqual(dumpVaultIndex(root), before);
    assert.ok((await index.tags()).items.length > 0);
  });

  test('a rebuild answers with everything that is on disk', async (t) => {
    const { index, root } = await opened(t, { notes: 50 });
    await index.build();
    await put(index, 'not-on-disk.md', 'zebra');
    writeFileSync(join(root, 'on-disk.md'), 'giraffe');
    await index.rebuild();
    assert.deepEqual((await index.search({ query: 'zebra' })).items, []);
    assert.equal((await index.search({ query: 'giraffe' })).items.length, 1);
    assert.equal(index.state().indexed, 51);
  });

  test('a query during a rebuild is answered, and one after it sees the writes', async (t) => {
    const { index } = await opened(t, { notes: 50 });
    await index.build();
    await put(index, 'before.md', 'zebra');
    const ask = async () => {
      await index.search({ query: 'zebra' });
      await index.grep({ pattern: 'zebra' });
    };
    await ask();
    let isBuilt = false;
    const rebuilt = index.rebuild().finally(() => {
      isBuilt = true;
    });
    while (!isBuilt) await ask();
    await rebuilt;
    await put(index, 'after.md', 'giraffe');
    for (const mode of ['auto', 'substring'] as const) {
      const paths = async (query: string) =>
        (await index.search({ query, mode })).items.map(({ path }) => path);
      assert.deepEqual(await paths('giraffe'), ['after.md'], mode);
      assert.deepEqual(await paths('zebra'), [], mode);
    }
  });
});
