/**
 * What is asked all the time walks an index in its order: no list of a page, no scan of the texts
 * and no count sorts the whole vault first. SQLite chooses without knowing how many notes there
 * are, so a new index can spoil a question it was not made for.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { DEFAULT_LINK_STYLE } from '../../links/new-link.ts';
import { NO_KEPT_FOLDERS } from '../review/kept-notes.ts';
import { orphans } from '../review/note-reviews.ts';
import type { Sql } from '../store/sql.ts';
import { readOperations } from '../workers/read-operations.ts';

const QUESTIONS: Record<string, (sql: Sql) => unknown> = {
  'a page of notes': (sql) => readOperations.list(sql, { limit: 10 }),
  'a page of a folder': (sql) => readOperations.list(sql, { prefix: 'a', depth: 1 }),
  'a page of attachments': (sql) => readOperations.list(sql, { kind: 'attachment' }),
  'notes with a property': (sql) =>
    readOperations.list(sql, { where: [{ key: 'status', op: 'exists' }] }),
  folders: (sql) => readOperations.list(sql, { kind: 'folder' }),
  'a part of a word': (sql) => readOperations.search(sql, { query: 'ar', mode: 'substring' }),
  'a pattern': (sql) => readOperations.grep(sql, { pattern: 'p.ar' }),
  'the numbers of a vault': (sql) => readOperations.stats(sql, {}),
  'its orphans': (sql) =>
    orphans(
      {
        sql,
        also: '',
        values: [],
        today: '',
        staleBeforeMs: 0,
        linkStyle: DEFAULT_LINK_STYLE,
        kept: NO_KEPT_FOLDERS,
      },
      0,
      10,
    ),
};

for (const [name, ask] of Object.entries(QUESTIONS)) {
  test(`${name}: nothing is sorted`, () => {
    const plans = plansOf(ask);
    assert.notEqual(plans.length, 0);
    assert.deepEqual(
      plans.filter((plan) => /TEMP B-TREE/.test(plan)),
      [],
    );
  });
}

test('the numbers of a vault are counted from indexes alone', () => {
  const ofFiles = plansOf((sql) => readOperations.stats(sql, {})).filter((plan) =>
    / f /.test(plan),
  );
  assert.deepEqual(ofFiles, [
    'SCAN f USING COVERING INDEX files_counted',
    'SCAN f USING INDEX files_orphaned',
    'SCAN f USING INDEX files_skipped',
  ]);
});

/** How SQLite goes about each statement of a question. */
function plansOf(ask: (sql: Sql) => unknown): string[] {
  const { sql } = memoryIndex({ 'a/pear.md': 'pear', 'b/c/plum.md': '[[pear]]', 'pic.png': 'p' });
  const { database } = sql;
  const statements: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (statement) => {
    statements.push(statement);
    return prepare(statement);
  };
  ask(sql);
  return statements
    .filter((statement) => /^\s*SELECT/.test(statement))
    .flatMap((statement) => prepare(`EXPLAIN QUERY PLAN ${statement}`).all())
    .map(({ detail }) => String(detail));
}
