import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { VaultIndexer } from '../build/vault-indexer.ts';
import { search } from '../query/search.ts';
import { correctTotals } from './full-text-totals.ts';

const COUNT = 60;

function textOf(n: number): string {
  const rare = n === 7 ? 'rare ' : '';
  return `# N${n}\n\ncommon usual ${rare}words ${n % 9 === 0 ? 'some' : ''}\n\n## More\n\nand more\n`;
}

test('words weigh in an index of many edits as they do in a new one', () => {
  const files = Array.from({ length: COUNT }, (_, n): [string, string] => [`n${n}.md`, textOf(n)]);
  const fresh = memoryIndex(Object.fromEntries(files));
  const aged = memoryIndex(Object.fromEntries(files));
  for (let edit = 0; edit < 20; edit++) {
    for (const [path, text] of files) aged.put(path, text.replace('words', `w${edit}`));
  }
  for (const [path, text] of files) aged.put(path, text);
  const found = ({ sql }: typeof aged) =>
    ['rare common', 'common usual', 'some rare', 'N7 more'].map((query) =>
      search(sql, { query, mode: 'any', limit: 100 }).items.map(({ path, score }) => [path, score]),
    );
  assert.notDeepEqual(found(aged), found(fresh));
  correctTotals(aged.sql);
  assert.deepEqual(found(aged), found(fresh));

  // What is written after it is counted from there.
  aged.put('new.md', 'rare');
  fresh.put('new.md', 'rare');
  assert.deepEqual(found(aged), found(fresh));
  for (const table of ['sections_fts', 'titles_fts']) {
    aged.sql.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`);
  }
});

test('an index without notes, and one that is right, are left alone', () => {
  const empty = memoryIndex();
  correctTotals(empty.sql);
  empty.put('a.md', 'word');
  const blocks = () => empty.sql.all('SELECT id, block FROM sections_fts_data ORDER BY id');
  const before = blocks();
  correctTotals(empty.sql);
  assert.deepEqual(blocks(), before);
});

test('a build sets right how many sections there are, which many edits have raised', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'totals-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const [root, file] = [join(base, 'vault'), join(base, 'index.db')];
  mkdirSync(root);
  const indexer = new VaultIndexer(root, file, Date.now);
  t.after(() => indexer.close());
  for (let edit = 0; edit < 20; edit++) {
    writeFileSync(join(root, 'a.md'), `edit ${edit}`);
    await indexer.refresh(['a.md']);
  }
  assert.equal(countedSections(file), 20);
  await indexer.build(() => {});
  assert.equal(countedSections(file), 1);
});

/** How many sections FTS5 says there are, of fewer than 128. */
function countedSections(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT block FROM sections_fts_data WHERE id = 1').get();
  database.close();
  return (row!.block as Uint8Array)[0];
}
