import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const now = () => new Date(2026, 10, 15, 12);

const TEXTS = [
  [{ content: 'as given' }, 'as given'],
  [{}, ''],
  [{ title: 'Fig  tree' }, '# Fig tree\n'],
  [{ title: 'Fig', content: 'text\r\n' }, '# Fig\r\n\r\ntext\r\n'],
  [{ title: 'Fig', content: '# fig\n' }, '# fig\n'],
  [{ title: 'Fig', content: '---\na: 1\n---\ntext\n' }, '---\na: 1\n---\n# Fig\n\ntext\n'],
  [{ tags: ['a', '#b/c'], content: 'x\n' }, '---\ntags: [a, b/c]\n---\nx\n'],
  [{ tags: [], content: 'x\n' }, 'x\n'],
  [{ template: 'templates/day' }, '# new on 2026-11-15 {{other}}\n'],
  [
    { template: 'templates/day.md', title: '$& {{date}}' },
    '# $& {{date}} on 2026-11-15 {{other}}\n',
  ],
  [
    { template: 'templates/day', title: 'T', content: 'text', tags: ['x'] },
    '---\ntags: [x]\n---\n# T on 2026-11-15 {{other}}\n\ntext\n',
  ],
] as const;

test('a note begins with its template, title, tags and content', async (context) => {
  const files = { 'templates/day.md': '# {{title}} on {{ date }} {{other}}\n' };
  const bench = await notesBench(context, { files, now });
  for (const [index, [args, expected]] of TEXTS.entries()) {
    const path = `${index}/new.md`;
    const result = await bench.call('note_create', { path, ...args });
    assert.equal(await bench.text(path), expected, JSON.stringify(args));
    assert.equal(result.path, path);
    assert.notEqual(result.change_id, null);
  }
});

const TITLED: [line: string, title: string, value: unknown][] = [
  ['v: "{{title}}"', 'a\\new "b"', 'a\\new "b"'],
  ["v: '{{title}}' # c", "it's", "it's"],
  ['v: [{{title}}, x]', 'a, b', ['a, b', 'x']],
  ['v: [ "{{title}}" ]', '1.10', ['1.10']],
  ['v: Meeting {{title}}', 'C', 'Meeting C'],
  ['v: Meeting {{title}}', 'C # notes', undefined],
  ['v: "On {{title}}"', 'a\\new', undefined],
  ['v: 2{{title}}', '4', 24],
  ['v: 2{{title}}', '4.0', undefined],
];

test('a template says of a title what the title says, or is refused', async (context) => {
  for (const [line, title, value] of TITLED) {
    const bench = await notesBench(context, { files: { 't.md': `---\n${line}\n---\n` } });
    const args = { path: 'n', title, template: 't' };
    if (value === undefined) {
      const { code } = await bench.refusal('note_create', args);
      assert.equal(code, 'invalid_arguments', `${title} in ${line}`);
      continue;
    }
    await bench.call('note_create', args);
    const { frontmatter } = await bench.call('note_read', { path: 'n' });
    assert.deepEqual(frontmatter, { v: value }, `${title} in ${line}`);
  }
});

test('a title is quoted where the frontmatter of a template needs it', async (context) => {
  const yaml = 'title: {{title}} # of {{date}}\naliases:\n  - {{ title }}\nfile: "{{title}}"\n';
  const files = {
    't.md': `---\n${yaml}---\n# {{title}}\n`,
    'odd.md': '---\na: <% b: c %>\n---\n',
    'part.md': '---\na: "On {{title}}"\n---\n',
  };
  const bench = await notesBench(context, { files, now });
  const rows = [
    ['Plain', 'Plain'],
    ['Foo: bar', '"Foo: bar"'],
    ['[x] {{date}}', '"[x] {{date}}"'],
    ['2026', '"2026"'],
  ] as const;
  for (const [index, [title, written]] of rows.entries()) {
    const path = `${index}.md`;
    const { warnings } = await bench.call('note_create', {
      path,
      title,
      template: 't',
      tags: ['x'],
    });
    const front = `title: ${written} # of 2026-11-15\naliases:\n  - ${written}\nfile: "${title}"\n`;
    assert.equal(await bench.text(path), `---\n${front}tags: [x]\n---\n# ${title}\n`);
    assert.deepEqual(warnings, []);
  }
  const unfit = { path: 'x', title: 'a "b"', template: 'part' };
  const { code, message } = await bench.refusal('note_create', unfit);
  assert.equal(code, 'invalid_arguments');
  assert.match(message, /^the title breaks .*; make \{\{title\}\} a complete value there/);
  assert.ok(!bench.exists('x.md'));
  await bench.call('note_create', { path: 'y', title: 'T', template: 'odd' });
});

test('a path that is taken is note_exists, in any spelling, or gets a number', async (context) => {
  const bench = await notesBench(context, { files: { 'a/Café.md': 'old' } });
  for (const path of ['a/Café.md', 'a/café', 'a/Cafe\u0301.md']) {
    assert.equal((await bench.refusal('note_create', { path, content: 'x' })).code, 'note_exists');
    const explicit = { path, content: 'x', if_exists: 'fail' };
    assert.equal((await bench.refusal('note_create', explicit)).code, 'note_exists');
  }
  const suffix = { path: 'a/Café.md', if_exists: 'suffix' };
  const paths = [];
  for (const content of ['2', '3']) {
    paths.push((await bench.call('note_create', { ...suffix, content })).path);
  }
  assert.deepEqual(paths, ['a/Café 2.md', 'a/Café 3.md']);
  assert.equal(await bench.text('a/Café.md'), 'old');
  assert.equal(await bench.text('a/Café 3.md'), '3');
});

test('many at once with one name are as many notes', async (context) => {
  const bench = await notesBench(context);
  const long = `${'あ'.repeat(84)}.md`;
  const args = { path: long, content: 'x', if_exists: 'suffix' };
  const all = await Promise.all(Array.from({ length: 8 }, () => bench.call('note_create', args)));
  const paths = new Set(all.map(({ path }) => path));
  assert.equal(paths.size, 8);
  for (const path of paths) assert.equal(await bench.text(path), 'x');
});

test('notes with similar names are reported, and others are not', async (context) => {
  const files = {
    'garden plan.md': 'x',
    'zettel/1.md': '# Garden plans\n',
    'cooking.md': '# Cooking\n',
  };
  const bench = await notesBench(context, { files });
  const { similar } = await bench.call('note_create', { path: 'new/garden-plan.md' });
  assert.deepEqual(similar.toSorted(), ['garden plan.md', 'zettel/1.md']);
  assert.deepEqual((await bench.call('note_create', { path: 'quantum.md' })).similar, []);
});

test('warnings: a differing title, broken frontmatter, a mark, links to nowhere', async (context) => {
  const bench = await notesBench(context, { files: { 'b.md': '' } });
  const warnings = async (args: object) => (await bench.call('note_create', args)).warnings;
  assert.deepEqual(await warnings({ path: '1', title: 'T', content: '# Other\n' }), [
    'the text already has a title, which was kept',
  ]);
  assert.match((await warnings({ path: '2', content: '---\na: [\n---\n' }))[0], /^the frontmatter/);
  assert.deepEqual(await warnings({ path: '3', content: '\ufeffx' }), [
    'the note now begins with a byte order mark',
  ]);
  assert.deepEqual(await warnings({ path: '4', content: '[[4]] [[b]] [[c]] [[c]] `[[d]]`' }), [
    'no file exists yet for the link to "c" (line 1)',
  ]);
});

const REFUSED = [
  [{ path: 'a.txt' }, 'path_invalid'],
  [{ path: '' }, 'path_invalid'],
  [{ path: 'x', template: 'nowhere' }, 'note_not_found'],
  [{ path: 'x', template: '../x' }, 'path_invalid'],
  [{ path: 'x', title: '' }, 'invalid_arguments'],
  [{ path: 'x', title: ' \n ' }, 'invalid_arguments'],
  [{ path: 'x', title: 'x #' }, 'invalid_arguments'],
  [{ path: 'x', tags: ['two words'] }, 'invalid_arguments'],
  [{ path: 'x', tags: ['x'], content: '---\na: [\n---\n' }, 'frontmatter_invalid'],
  [{ path: 'x', if_exists: 'overwrite' }, 'invalid_arguments'],
  [{ path: 'x', content_hash: 'x' }, 'invalid_arguments'],
  [{ path: 'x', content: 'x'.repeat(33 * 1024 * 1024) }, 'too_large'],
] as const;

test('what cannot be a note is refused and leaves nothing behind', async (context) => {
  const bench = await notesBench(context);
  for (const [args, code] of REFUSED) {
    const refused = await bench.refusal('note_create', args);
    assert.equal(refused.code, code, JSON.stringify(args).slice(0, 100));
    assert.ok(!bench.exists('x.md'));
  }
});

test('a note that calls itself by its title or an alias is not warned of it, nor is its dry run', async (context) => {
  const bench = await notesBench(context);
  const content =
    '---\naliases: [Nick]\n---\n# Name\n\n[[Name#h]] [[nick]] [[a]] [[x/Name]] [[None]]\n';
  for (const dry_run of [true, false]) {
    const { warnings } = await bench.call('note_create', { path: 'a', content, dry_run });
    assert.deepEqual(warnings, [
      'no file exists yet for the link to "x/Name" (line 6), "None" (line 6)',
    ]);
  }
});
