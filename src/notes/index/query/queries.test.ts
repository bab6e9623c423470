import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { IndexWriter } from '../build/index-writer.ts';
import { openForReading, openForWriting } from '../store/schema.ts';
import { Sql } from '../store/sql.ts';
import { grep } from './grep.ts';
import { listNotes } from './list-files.ts';
import { noteLinks } from './note-links.ts';
import { relatedNotes } from './related-notes.ts';
import { namesakes, resolveName, similarNotes } from './resolve-name.ts';
import { tagList } from './tag-list.ts';
import { taskList } from './task-list.ts';
import { vaultStats } from './vault-stats.ts';

const { sql, put } = memoryIndex({
  'home.md': '# Home\n\n[[garden]] and [[work/plan|the plan]], [[nowhere]] #area\n\n[self](#Home)',
  'garden.md':
    '---\naliases: [Yard]\ntags: [Area, plants/herbs]\ntitle: The garden\n---\n# The garden\n\n[[home]] tomatoes grow\n',
  'work/plan.md': '# Plan\n\n- [ ] call Zoë 📅 2026-03-01\n- [x] write\n- [ ] rest\n\n![[pic.png]]',
  'work/sub/garden.md': 'tomatoes grow here, too #plants',
  'alone.md': 'just words',
  'attachments/pic.png': 'pixels',
});

describe('questions to the index', () => {
  test('stats count what a vault holds, as a whole and below a folder', () => {
    const stats = vaultStats(sql, {});
    assert.deepEqual(stats.counts, {
      notes: 5,
      words: stats.counts.words,
      bytes: stats.counts.bytes,
      tags: 3,
      links: 6,
      broken_links: 1,
      orphans: 2,
      open_tasks: 2,
      attachments: 1,
    });
    assert.deepEqual(stats.depth, { 0: 3, 1: 1, 2: 1 });
    const work = vaultStats(sql, { prefix: 'work/' });
    assert.deepEqual(
      [work.counts.notes, work.counts.links, work.counts.open_tasks, work.counts.tags],
      [2, 1, 2, 1],
    );
  });

  test('stats follow every write, of this connection and of another', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'stats-')), 'index.db');
    const writing = new Sql(openForWriting(file));
    const reading = new Sql(openForReading(file));
    const writer = new IndexWriter(writing, () => 0);
    for (const count of [1, 2]) {
      const bytes = Buffer.from('text');
      const stamp = { path: `${count}.md`, size: 4, mtimeMs: 1 };
      writer.atomically(() => writer.upsert({ ...stamp, bytes }));
      assert.equal(vaultStats(reading, {}).counts.notes, count);
      assert.equal(vaultStats(writing, {}).counts.notes, count);
    }
    for (const sql of [writing, reading]) sql.close();
    rmSync(dirname(file), { recursive: true });
  });

  test('links lead in and out up to the given depth, and the broken ones are reported', () => {
    const links = noteLinks(sql, { path: 'home.md' });
    assert.deepEqual(
      links.out.map(({ to, line }) => [to, line]),
      [
        ['garden.md', 3],
        ['work/plan.md', 3],
      ],
    );
    assert.deepEqual(
      links.in.map(({ from }) => from),
      ['garden.md'],
    );
    assert.deepEqual(
      links.broken.map(({ target }) => target),
      ['nowhere'],
    );
    const deep = noteLinks(sql, { path: 'garden.md', direction: 'out', depth: 3 });
    assert.deepEqual(
      deep.out.map(({ to }) => to),
      ['home.md', 'garden.md', 'work/plan.md', 'attachments/pic.png'],
    );
    assert.equal(noteLinks(sql, { path: 'home.md', limit: 1 }).truncated, true);
    assert.throws(() => noteLinks(sql, { path: 'none.md' }), { code: 'note_not_found' });
  });

  test('lists are narrowed, sorted and paged; folders count their notes', () => {
    const paths = (query: Parameters<typeof listNotes>[1]) =>
      listNotes(sql, query).items.map(({ path }) => path);
    assert.deepEqual(paths({ depth: 1 }), ['alone.md', 'garden.md', 'home.md']);
    assert.deepEqual(paths({ prefix: 'work', depth: 1 }), ['work/plan.md']);
    assert.deepEqual(paths({ glob: '**/garden.md' }), ['garden.md', 'work/sub/garden.md']);
    assert.deepEqual(paths({ kind: 'attachment' }), ['attachments/pic.png']);
    assert.deepEqual(
      listNotes(sql, { kind: 'folder' }).items.map(({ path, notes }) => [path, notes]),
      [
        ['work', 2],
        ['work/sub', 1],
      ],
    );
    const first = listNotes(sql, { limit: 3 });
    assert.equal(first.items.length, 3);
    assert.equal(listNotes(sql, { limit: 3, cursor: first.cursor ?? '' }).items.length, 2);
    put('newest.md', 'newest', 9000);
    assert.equal(paths({ sort: 'modified' })[0], 'newest.md');
  });

  test('a tag in two spellings is one, and a prefix lists what is below it', () => {
    assert.deepEqual({ ...tagList(sql, {}).items[0] }, { tag: 'Area', notes: 2 });
    assert.deepEqual(
      tagList(sql, { prefix: '#plants' }).items.map(({ tag }) => tag),
      ['plants', 'plants/herbs'],
    );
  });

  test('tasks are found by state, words and day; those with a day come first', () => {
    const texts = (query: Parameters<typeof taskList>[1]) =>
      taskList(sql, query).items.map(({ text, line }) => [text.slice(0, 4), line]);
    assert.deepEqual(texts({ done: false }), [
      ['call', 3],
      ['rest', 5],
    ]);
    assert.deepEqual(texts({ done: true }), [['writ', 4]]);
    assert.deepEqual(texts({ contains: 'ZOE' }), [['call', 3]]);
    assert.deepEqual(texts({ dueBefore: '2026-03-01' }), [['call', 3]]);
    assert.deepEqual(texts({ dueAfter: '2026-03-02' }), []);
  });

  const names: [name: string, found: string[]][] = [
    ['garden.md', ['garden.md']],
    ['garden', ['garden.md']],
    ['Yard', ['garden.md']],
    ['the GARDEN', ['garden.md']],
    ['work/plan', ['work/plan.md']],
    ['/work/plan.md', ['work/plan.md']],
    ['plan', ['work/plan.md']],
    ['gard', []],
  ];
  for (const [name, found] of names) {
    test(`"${name}" means ${found.join(', ') || 'no note'}`, () => {
      assert.deepEqual(
        resolveName(sql, name).map(({ path }) => path),
        found,
      );
    });
  }

  test('a name that no note has is answered with the nearest ones', () => {
    assert.equal(similarNotes(sql, 'The gardn', 3)[0], 'garden.md');
    assert.equal(similarNotes(sql, 'xxhome', 3)[0], 'home.md');
    // By its file name, too: the title of this note is another.
    assert.equal(similarNotes(sql, 'gardens', 3)[0], 'garden.md');
    assert.deepEqual(similarNotes(sql, 'xxhome', 3, 0.9), []);
  });

  test('a bare name may lead to every file that has it', () => {
    assert.deepEqual(namesakes(sql, 'x/garden.md'), ['garden.md', 'work/sub/garden.md']);
  });

  test('related notes share links or words, and say which', () => {
    const related = relatedNotes(sql, { path: 'garden.md' });
    assert.deepEqual(related.find(({ path }) => path === 'home.md')?.reasons[0], 'linked');
    assert.ok(
      related.some(
        ({ path, reasons }) => path === 'work/sub/garden.md' && reasons.includes('words'),
      ),
    );
    assert.ok(!related.some(({ path }) => path === 'garden.md'));
    assert.ok(relatedNotes(sql, { text: 'my tomatoes' }).some(({ path }) => path === 'garden.md'));
  });

  test('grep finds lines, with those around them, page by page', () => {
    const all = grep(sql, { pattern: 'TOMATOES', context: 1 });
    assert.deepEqual(
      all.matches.map(({ path, line, before }) => [path, line, before]),
      [
        ['garden.md', 8, ['']],
        ['work/sub/garden.md', 1, []],
      ],
    );
    assert.deepEqual(grep(sql, { pattern: 'TOMATOES', caseSensitive: true }).matches, []);
    assert.deepEqual(grep(sql, { pattern: 'to.*row$', regex: true, prefix: 'work' }).matches, []);
    const first = grep(sql, { pattern: '- [', prefix: 'work', limit: 2 });
    const second = grep(sql, {
      pattern: '- [',
      prefix: 'work',
      limit: 2,
      cursor: first.cursor ?? '',
    });
    assert.deepEqual(
      [...first.matches, ...second.matches].map(({ line }) => line),
      [3, 4, 5],
    );
    assert.equal(second.cursor, undefined);
  });
});
