import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dumpIndex } from '../../../../test/support/notes/index-dump.ts';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { generateVault } from '../../../../test/support/notes/vault-generator.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';

const paths = ['a.md', 'b.md', 'x/a.md', 'x/y/b.md', 'x/c.png', 'z/Ä.md'];
const pieces = [
  '# Title A\n',
  '## Heading\n\nsome words 東京\n',
  '[[a]] [[b|label]] [[x/a#Heading]] ![[c.png]]\n',
  '[m](a.md) [n](../a.md) [o](/x/y/b.md)\n',
  '[[alias one]] [[Title A]] [[ä]] [[nowhere]]\n',
  '#tag #Tag/sub\n',
  '- [ ] task 📅 2026-01-02\n- [x] done\n',
];
const fronts = [
  '',
  '---\naliases: [alias one, b]\ntags: [t]\nrating: 3\n---\n',
  '---\na: [\n---\n',
];

const text = fc
  .tuple(fc.constantFrom(...fronts), fc.array(fc.constantFrom(...pieces), { maxLength: 5 }))
  .map(([front, body]) => front + body.join(''));
const path = fc.constantFrom(...paths);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('put' as const), path, text }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('move' as const), path, to: path }) },
);

/** Files that are said to be linked with another and are not, or the other way round. */
const MARKED_WRONGLY = `
  SELECT path FROM files f WHERE linked <> EXISTS (
    SELECT 1 FROM links l WHERE l.source <> l.destination AND f.id IN (l.source, l.destination))`;

describe('writing the index', () => {
  test('after any sequence of writes, removals and moves it equals a rebuild from scratch', () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 15 }), (transactions) => {
        const index = memoryIndex();
        const files = new Map<string, string>();
        const upsert = (path: string, text: string) => {
          files.set(path, text);
          const bytes = Buffer.from(text);
          return index.writer.upsert({ path, size: bytes.length, mtimeMs: 1, bytes });
        };
        const take = (action: (typeof transactions)[0][0]) => {
          const before = files.get(action.path);
          if (action.op === 'put') upsert(action.path, action.text);
          else if (before !== undefined) {
            files.delete(action.path);
            index.writer.remove(action.path);
            if (action.op === 'move') upsert(action.to, before);
          }
        };
        for (const steps of transactions) {
          index.writer.atomically(() => {
            for (const action of steps) take(action);
            return true;
          });
        }
        const rebuilt = memoryIndex(Object.fromEntries(files));
        assert.deepEqual(dumpIndex(index.sql), dumpIndex(rebuilt.sql));
        assert.deepEqual(index.writer.counts, rebuilt.writer.counts);
        assert.deepEqual(index.sql.all(MARKED_WRONGLY), []);
        index.sql.close();
        rebuilt.sql.close();
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('links that are too many to be held lead where they would one by one', () => {
    const many = Array.from({ length: 7_000 }, (_, at) => `[[goal]] [[note ${at % 4}]]`).join('\n');
    const files: Record<string, string> = { 'goal.md': 'here' };
    for (const at of [0, 1, 2, 3]) files[`note ${at}.md`] = many;
    const one = memoryIndex();
    one.writer.atomically(() => {
      for (const [path, text] of Object.entries(files).reverse()) {
        const bytes = Buffer.from(text);
        one.writer.upsert({ path, size: bytes.length, mtimeMs: 1, bytes });
      }
      return true;
    });
    assert.deepEqual(dumpIndex(one.sql).links, dumpIndex(memoryIndex(files).sql).links);
    assert.deepEqual(one.sql.all(MARKED_WRONGLY), []);
  });

  test('one changed note costs as many rows and links in 600 notes as in 100', () => {
    const costs = [100, 600].map((count) => {
      const index = memoryIndex();
      for (const file of generateVault({ notes: count })) index.put(file.path, file.text);
      index.sql.exec(`INSERT INTO sections_fts (sections_fts) VALUES ('optimize')`);
      index.put('hub.md', '# Hub\n\n[[one]] [[two]]');
      index.put('one.md', '# One\n\n[[hub]]');
      const changes = () => index.sql.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
      const before = changes();
      const { linksResolved } = index.put('hub.md', '# Hub renamed\n\n[[one]] [[three]] [[hub]]');
      return { linksResolved, rows: changes() - before };
    });
    assert.equal(costs[0]?.linksResolved, 2, 'the link that stays is not looked at again');
    assert.deepEqual(costs[1], costs[0]);
  });

  const part = (place: number) =>
    `## Part ${place}\n\n[[b${place}]] #tag${place}\n\n- [ ] do it\n\n`;
  const parts = Array.from({ length: 9 }, (_, place) => part(place));
  const front = '---\nstatus: draft\nrating: 3\n---\n';
  const EDITS: [edit: string, text: string, written: string[]][] = [
    ['a word more at the end', `${front}${parts.join('')}more\n`, ['sections', 'sections_fts']],
    [
      'a tag more in one section',
      front + parts.with(8, `${part(8)}#new\n`).join(''),
      ['sections', 'sections_fts', 'tags'],
    ],
    [
      'the last section removed',
      front + parts.slice(0, -1).join(''),
      ['links', 'sections', 'sections_fts', 'tags', 'tasks'],
    ],
    [
      'one property changed',
      front.replace('3', '4') + parts.join(''),
      ['properties', 'sections', 'sections_fts'],
    ],
  ];
  for (const [edit, text, written] of EDITS) {
    test(`of a note with ${edit} only the rows that differ are written`, () => {
      const index = memoryIndex({ 'a.md': front + parts.join('') });
      const run = index.sql.run.bind(index.sql);
      const rows: Record<string, number> = {};
      index.sql.run = (statement, ...values) => {
        const [, table] = /^\s*(?:INSERT INTO|DELETE FROM|UPDATE) (\w+)/.exec(statement) ?? [];
        if (table && table !== 'files') rows[table] = (rows[table] ?? 0) + 1;
        run(statement, ...values);
      };
      index.put('a.md', text);
      assert.deepEqual(Object.keys(rows).sort(), written);
      assert.ok(
        Object.values(rows).every((count) => count <= 2),
        JSON.stringify(rows),
      );
    });
  }

  test('words are written in the order of ids, so that FTS5 holds many before it writes them out', () => {
    const index = memoryIndex();
    const texts = ['# One\n\n## Two\n\n## Three\n', '# One more\n\n## Two more\n\n## Three more\n'];
    const put = (text: string) =>
      index.writer.atomically(() => {
        for (let note = 0; note < 50; note++) {
          const bytes = Buffer.from(text);
          index.writer.upsert({ path: `${note}.md`, size: bytes.length, mtimeMs: 1, bytes });
        }
        return true;
      });
    const segments = () =>
      index.sql.get<{ n: number }>('SELECT count(DISTINCT segid) AS n FROM sections_fts_idx')!.n;
    put(texts[0]!);
    const before = segments();
    put(texts[1]!);
    assert.equal(segments(), before + 1);
  });

  test('the same bytes again change nothing but the time of the file', () => {
    const index = memoryIndex({ 'a.md': '# A\n\n[[b]]' });
    const before = dumpIndex(index.sql);
    assert.deepEqual(index.put('a.md', '# A\n\n[[b]]'), { changed: false, linksResolved: 0 });
    assert.deepEqual(dumpIndex(index.sql), before);
  });

  test('a full disk leaves the index as it was, and the next write works', () => {
    const index = memoryIndex({ 'a.md': '# A\n\n[[b]]' });
    const before = dumpIndex(index.sql);
    const pages = index.sql.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
    index.sql.exec(`PRAGMA max_page_count = ${pages}`);
    assert.throws(() => index.put('large.md', 'word '.repeat(100_000)), { errcode: 13 });
    assert.deepEqual(dumpIndex(index.sql), before);
    assert.deepEqual(index.writer.counts, { notes: 1, skipped: 0 });
    index.sql.exec('PRAGMA max_page_count = 1000000');
    assert.equal(index.put('b.md', 'small').linksResolved, 1);
  });

  test('a link is broken, found, ambiguous and broken again as files come and go', () => {
    const index = memoryIndex({ 'from.md': '[[goal]]' });
    const state = () =>
      index.sql.get<{ path: string | null; ambiguous: number }>(
        'SELECT f.path, l.ambiguous FROM links l LEFT JOIN files f ON f.id = l.destination',
      );
    const expect = (path: string | null, ambiguous: number) =>
      assert.deepEqual({ ...state() }, { path, ambiguous });
    expect(null, 0);
    index.put('x/goal.md', 'here');
    expect('x/goal.md', 0);
    index.put('long/goal.md', 'there');
    expect('x/goal.md', 1);
    index.remove('x/goal.md');
    expect('long/goal.md', 0);
    index.put('other.md', '---\naliases: [goal]\n---\n');
    expect('long/goal.md', 0);
    index.remove('long/goal.md');
    expect('other.md', 0);
    index.put('other.md', 'no alias any more');
    expect(null, 0);
  });
});
