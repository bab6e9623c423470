import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'Books/Dune.md':
    '---\nrating: 5\ndue: 2026-11-14\nauthor: Frank Herbert\ntags: [book, sf]\n---\n# Dune\n\nSand.\n',
  'Books/Emma.md':
    '---\nrating: 4\ndue: 2026-11-15T09:00\nauthor: [Jane, Austen]\ntags: book\n---\n',
  'Books/It.md': '---\nrating: "3"\ndue: 2026-11-20\ntags: book\nmeta: {pages: 1138}\n---\n',
  'Books/Zen.md': '---\nrating: none yet\ntags: book\n---\n',
  'page.md': 'rating:: 2\nauthor:: [[Logseq]]\n\n- text\n',
  'plain.md': 'plain\n',
  'p.png': '',
};
const now = () => new Date(2026, 10, 15, 12);
const BOOKS = ['Dune', 'Emma', 'It', 'Zen'];

async function named(bench: NotesBench, args: object): Promise<string[]> {
  const { items } = await bench.call('note_list', args);
  return items.map(({ path }: { path: string }) => path.replace(/^.*\/|\.md$/g, ''));
}

test('conditions on properties choose notes', async (context) => {
  const bench = await notesBench(context, { files: FILES, now });
  const rows: [where: unknown[], found: string[]][] = [
    [['rating >= 4'], ['Dune', 'Emma']],
    [
      ['rating>=2', 'rating < 5'],
      ['Emma', 'page'],
    ],
    [['rating <= 2'], ['page']],
    [['rating = 3'], ['It']],
    [
      ['rating != 5', 'rating exists'],
      ['Emma', 'It', 'Zen', 'page'],
    ],
    [['due < today'], ['Dune']],
    [['due <= today'], ['Dune', 'Emma']],
    [['due > today'], ['It']],
    [['due < today+1w'], ['Dune', 'Emma', 'It']],
    [['due > yesterday', 'due < tomorrow'], ['Emma']],
    [['due missing'], ['Zen', 'page', 'plain']],
    [['author contains "herb"'], ['Dune']],
    [['author = AUSTEN'], ['Emma']],
    [['author = logseq'], ['page']],
    [['meta.pages > 1000'], ['It']],
    [[{ key: 'rating', op: 'gte', value: 5 }], ['Dune']],
    [[{ key: 'due', op: 'lt', value: 'today' }], ['Dune']],
  ];
  for (const [where, found] of rows) {
    assert.deepEqual(await named(bench, { where }), found, JSON.stringify(where));
  }
  assert.deepEqual(await named(bench, { tags: ['sf'], prefix: 'Books' }), ['Dune']);
  assert.deepEqual(await named(bench, { tags: ['book'] }), BOOKS);
  const wrong = ['rating', '>= 4', '', 'a ~ b', 5, null, { key: 'a' }, { key: 'a', op: 'x' }];
  for (const condition of [...wrong, 'x'.repeat(800), { key: 'a', op: 'exists', value: false }]) {
    const { code } = await bench.refusal('note_list', { where: [condition] });
    assert.equal(code, 'invalid_arguments', JSON.stringify(condition));
  }
  const many = await bench.refusal('note_search', { tags: Array(11).fill('x') });
  assert.equal(many.code, 'invalid_arguments');
});

test('one call is a table, sorted by a property', async (context) => {
  const bench = await notesBench(context, { files: FILES, now });
  const columns = ['rating', 'author', 'tags', 'title'];
  const table = await bench.call('note_list', { tags: ['book'], columns, sort: '-rating' });
  assert.deepEqual(table.columns, ['path', ...columns]);
  assert.deepEqual(table.rows, [
    ['Books/Dune.md', 5, 'Frank Herbert', ['book', 'sf'], 'Dune'],
    ['Books/Emma.md', 4, ['Jane', 'Austen'], ['book'], 'Emma'],
    ['Books/Zen.md', 'none yet', null, ['book'], 'Zen'],
    ['Books/It.md', '3', null, ['book'], 'It'],
  ]);
  assert.deepEqual(await named(bench, { sort: 'rating' }), [
    'page',
    'Emma',
    'Dune',
    'It',
    'Zen',
    'plain',
  ]);
  assert.deepEqual(await named(bench, { sort: '-path' }), [
    'plain',
    'page',
    'Zen',
    'It',
    'Emma',
    'Dune',
  ]);
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bench.call('note_list', {
      sort: 'rating',
      limit: 2,
      ...(cursor && { cursor }),
    });
    pages.push(...page.items.map(({ path }: { path: string }) => path));
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.equal(new Set(pages).size, 6);
  assert.equal(
    (await bench.refusal('note_list', { sort: 'rating', cursor: 'x' })).code,
    'invalid_arguments',
  );
});

test('a search without words lists what the filters leave, the newest first', async (context) => {
  const bench = await notesBench(context, { files: FILES, now });
  for (const [at, name] of BOOKS.entries()) {
    const path = `Books/${name}.md`;
    await utimes(join(bench.data, 'default', path), at, 1_700_000_000 + at * 86_400);
    await bench.open.index.refresh([path]);
  }
  const found = async (args: object) =>
    (await bench.call('note_search', args)).hits.map(({ path }: { path: string }) => path);
  const newest = BOOKS.map((name) => `Books/${name}.md`).reverse();
  assert.deepEqual(await found({ tags: ['book'] }), newest);
  assert.deepEqual(await found({ query: 'tag:book' }), newest);
  assert.deepEqual(await found({ query: ' ', where: ['rating >= 5'] }), ['Books/Dune.md']);
  assert.deepEqual(
    await found({ prefix: 'Books', modified_before: '2023-11-15T12:00Z' }),
    newest.slice(-1),
  );
  const first = await bench.call('note_search', { tags: ['book'], limit: 3 });
  const { cursor } = first;
  assert.deepEqual(await found({ tags: ['book'], limit: 3, cursor }), ['Books/Dune.md']);
  const dune = await bench.call('note_search', { tags: ['sf'] });
  assert.match(dune.hits[0].snippet, /Sand/);
  assert.equal((await bench.refusal('note_search', {})).code, 'invalid_arguments');
});

test('a property of all notes of a filter is set in one change, which is undone as one', async (context) => {
  const bench = await notesBench(context, {
    files: { ...FILES, 'Books/bad.md': '---\ntags: [book\n---\n' },
    now,
  });
  const batch = { notes: { prefix: 'Books', where: ['rating exists'] }, set: { read: true } };
  const plan = await bench.call('note_frontmatter', batch);
  assert.deepEqual(
    [plan.dry_run, plan.change_id, plan.notes, plan.files.length],
    [true, null, 4, 4],
  );
  assert.match(plan.files[0].diff, /^\+read: true$/m);
  assert.equal(await bench.text('Books/Dune.md'), FILES['Books/Dune.md']);
  const run = { ...batch, dry_run: false };
  assert.equal((await bench.refusal('note_frontmatter', run)).code, 'invalid_arguments');
  const wrong = { ...run, plan_hash: 'x' };
  assert.equal((await bench.refusal('note_frontmatter', wrong)).code, 'plan_stale');
  const done = await bench.call('note_frontmatter', { ...run, plan_hash: plan.plan_hash });
  assert.equal(done.notes, 4);
  assert.deepEqual(await named(bench, { where: ['read = true'] }), BOOKS);
  await bench.call('change_undo', { change_id: done.change_id });
  for (const name of BOOKS) {
    const path = `Books/${name}.md` as keyof typeof FILES;
    assert.equal(await bench.text(path), FILES[path]);
  }
});

test('a batch is refused when a note has changed or another matches since the plan', async (context) => {
  const bench = await notesBench(context, { files: FILES, now });
  const batch = { notes: { tags: ['book'] }, add_tags: ['seen'] };
  for (const path of ['Books/Dune.md', 'new.md']) {
    const { plan_hash } = await bench.call('note_frontmatter', batch);
    await bench.put(path, '---\ntags: book\n---\nother\n');
    const run = { ...batch, dry_run: false, plan_hash };
    assert.equal((await bench.refusal('note_frontmatter', run)).code, 'plan_stale', path);
  }
  assert.deepEqual(await named(bench, { tags: ['seen'] }), []);
});

test('a batch says which notes stay as they are, and needs a filter', async (context) => {
  const bad = '---\nx: [1\n---\n#book\n';
  const bench = await notesBench(context, { files: { ...FILES, 'bad.md': bad }, now });
  const plan = await bench.call('note_frontmatter', {
    notes: { tags: ['book'] },
    set: { rating: 5 },
  });
  assert.deepEqual([plan.notes, plan.unchanged], [3, 1]);
  assert.match(plan.warnings[0], /"bad\.md" stays as it is: /);
  const refused = [
    { notes: {}, set: { a: 1 } },
    { set: { a: 1 } },
    { path: 'plain', notes: { tags: ['book'] }, set: { a: 1 } },
    { path: 'plain', set: { a: 1 }, plan_hash: 'x' },
    { notes: { tags: ['book'] }, set: { a: 1 }, content_hash: 'x' },
    { notes: { tags: ['book'] } },
  ];
  for (const args of refused) {
    const { code } = await bench.refusal('note_frontmatter', args);
    assert.equal(code, 'invalid_arguments', JSON.stringify(args));
  }
});

test('a batch has at most 2,000 notes and shows the first of them', async (context) => {
  const files = Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`x/${at}.md`, '']));
  const bench = await notesBench(context, { files });
  const args = { set: { a: 1 } };
  const refused = await bench.refusal('note_frontmatter', { ...args, notes: { prefix: 'x' } });
  assert.equal(refused.code, 'limit_exceeded');
  const notes = { glob: 'x/1??.md' };
  const plan = await bench.call('note_frontmatter', { ...args, notes });
  assert.deepEqual([plan.notes, plan.files.length, plan.files_left_out], [100, 30, 70]);
});
