import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { VaultIndexer } from '../build/vault-indexer.ts';

const FOUR_MEGABYTES = 4 * 1024 * 1024;

function vault(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'merge-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'vault');
  mkdirSync(root);
  const file = join(base, 'index.db');
  const open = () => {
    const indexer = new VaultIndexer(root, file, Date.now);
    t.after(() => indexer.close());
    return indexer;
  };
  const write = (path: string, content: string) => {
    writeFileSync(join(root, path), content);
    // Not so new that the next build would read it again.
    utimesSync(join(root, path), 1, 1);
  };
  return { file, open, write };
}

function segments(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT count(DISTINCT segid) AS n FROM sections_fts_idx').get();
  database.close();
  return Number(row?.n);
}

describe('what a build leaves behind', () => {
  test('segments that a stop left unmerged are merged after the next build', async (t) => {
    const { file, open, write } = vault(t);
    const first = open();
    for (const part of ['a', 'b']) {
      for (let n = 0; n < 300; n++) write(`${part} ${n}.md`, `# ${part} ${n}\n\nwords\n`);
      await first.build(() => {});
    }
    const merging = first.merge();
    first.close();
    await merging;
    assert.ok(segments(file) > 1);
    const next = open();
    await next.build(() => {});
    await next.merge();
    assert.equal(segments(file), 1);
  });

  test('a build of any size leaves the merging to us, and SQLite as it was', async (t) => {
    const { file, open, write } = vault(t);
    const indexer = open();
    for (let part = 0; part < 20; part++) {
      for (let n = 0; n < 300; n++) write(`${part} ${n}.md`, `# ${part} ${n}\n`);
      await indexer.build(() => {});
    }
    assert.equal(segments(file), 20);
    const settings = () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare('SELECT k, v FROM sections_fts_config').all();
      database.close();
      return Object.fromEntries(rows.map(({ k, v }) => [k, v]));
    };
    assert.equal(settings().crisismerge, 1000);
    await indexer.merge();
    assert.equal(segments(file), 1);
    assert.deepEqual([settings().automerge, settings().crisismerge], [4, 16]);
  });

  test('the long log of a build is copied into the index, and no longer takes its room', async (t) => {
    const { file, open, write } = vault(t);
    const text = Array.from({ length: 4000 }, (_, n) => `word${n}`).join(' ');
    for (let n = 0; n < 300; n++) write(`${n}.md`, `${n} ${text}\n`);
    const indexer = open();
    await indexer.build(() => {});
    const log = () => statSync(`${file}-wal`).size;
    assert.ok(log() > FOUR_MEGABYTES);
    assert.ok(statSync(file).size < FOUR_MEGABYTES, 'it is copied after the build');
    await indexer.merge();
    assert.ok(statSync(file).size > FOUR_MEGABYTES);
    indexer.remove('0.md');
    assert.ok(log() <= FOUR_MEGABYTES);
  });
});
