import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { IndexWriter } from '../build/index-writer.ts';
import { openForReading, openForWriting } from '../store/schema.ts';
import { Sql } from '../store/sql.ts';
import { countSections, weighTerms } from './search-candidates.ts';

const COUNTS = /^SELECT count/;

/** A writer and a reader of the same index, and how often the reader has counted. */
function index(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'kept-counts-'));
  const file = join(folder, 'index.db');
  const writing = new Sql(openForWriting(file));
  const sql = new Sql(openForReading(file));
  t.after(() => {
    writing.close();
    sql.close();
    rmSync(folder, { recursive: true });
  });
  let counted = 0;
  const get = sql.get.bind(sql);
  sql.get = (statement, ...values) => {
    if (COUNTS.test(statement)) counted++;
    return get(statement, ...values);
  };
  const writer = new IndexWriter(writing, () => 0);
  const put = (path: string, text: string) => {
    const bytes = Buffer.from(text);
    writer.atomically(() => writer.upsert({ path, size: bytes.length, mtimeMs: 1, bytes }));
  };
  const remove = (path: string) => writer.atomically(() => writer.remove(path));
  return { sql, put, remove, counted: () => counted };
}

test('what has been counted is not counted again until the index changes', (t) => {
  const { sql, put, counted } = index(t);
  put('a.md', 'apple pear');
  const weigh = () =>
    weighTerms(
      sql,
      ['apple', 'pear'].map((text) => ({ text, prefix: false })),
    );
  const first = weigh();
  assert.equal(counted(), 3);
  assert.deepEqual(weigh(), first);
  assert.equal(counted(), 3);
  put('b.md', 'apple');
  assert.deepEqual(
    weigh().map(({ term, sections }) => [term.text, sections]),
    [
      ['pear', 1],
      ['apple', 2],
    ],
  );
  assert.equal(counted(), 6);
});

test('after every commit the counts are those of the index', (t) => {
  const { sql, put, remove } = index(t);
  const steps: [step: () => unknown, apples: number][] = [
    [() => put('a.md', 'apple'), 1],
    [() => put('b.md', 'apple'), 2],
    [() => put('a.md', 'pear'), 1],
    [() => remove('b.md'), 0],
    [() => put('c.md', '# apple\n\n## apple\n'), 2],
  ];
  for (const [step, apples] of steps) {
    step();
    for (const _ of ['counted', 'kept']) assert.equal(countSections(sql, '"apple"'), apples);
  }
});

test('a transaction keeps its counts while others write', (t) => {
  const { sql, put } = index(t);
  put('a.md', 'apple');
  sql.exec('BEGIN');
  assert.equal(countSections(sql, '"apple"'), 1);
  put('b.md', 'apple');
  assert.equal(countSections(sql, '"apple"'), 1);
  sql.exec('COMMIT');
  assert.equal(countSections(sql, '"apple"'), 2);
});
