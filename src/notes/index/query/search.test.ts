import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import type { SearchMode } from './match-query.ts';
import { search } from './search.ts';

const notes = {
  'in-body.md': '# Something\n\nHere we grow tomatoes, many tomatoes: tomatoes tomatoes tomatoes.',
  'in-heading.md': '# Else\n\nfiller text\n\n## Tomatoes\n\nsome words that are not it',
  'tomatoes.md': '# Tomatoes\n\nA long text about something else entirely. '.padEnd(3000, 'word '),
  'cpp.md': '# Languages\n\nC++ is older than C# and F#.',
  'c.md': '# Plain\n\nThe language C and the letter c.',
  'dash.md': "# Dash\n\nfoo-bar it's a café, naïve São Paulo",
  'apart.md': '# Apart\n\nfoo stands far from bar, and its dog barks',
  'japanese.md': '# 旅行\n\n昨日、東京都に行きました。黒猫を見た。',
  'tagged.md':
    '---\ntags: [garden/herbs]\nstatus: Draft\nrating: 4\ndue: 2026-01-01\nnested:\n  key: [one, two]\n---\nBasil and thyme.',
  'other/rated.md': '---\nstatus: done\nrating: 2\npages: 10\ndue:\n---\nBasil again.',
  'emoji.md': '# Party\n\nlaunch 🎉 today',
  'korean.md': '# 학교\n\n재미있다\n',
  'decomposed.md': '# Menu\n\nnothing\n\nthe cre\u0300me bru\u0302le\u0301e of the ﬁlm',
  'arabic.md': '# عربي\n\nذهب مُحَمَّد إلى البيت',
  'hebrew.md': '# עברית\n\nשָׁלוֹם לכם',
  'hindi.md': '# हिन्दी\n\nभाषा की किताब',
  'empty.md': '',
};

const { sql, put } = memoryIndex(notes);
put('other/old.md', 'Basil of old.', 1000);
put('other/new.md', 'Basil of new.', 9000);

function paths(query: string, mode?: SearchMode): string[] {
  return search(sql, { query, ...(mode && { mode }) }).items.map(({ path }) => path);
}

const finds: [query: string, mode: SearchMode, found: string[]][] = [
  ['C++', 'auto', ['cpp.md']],
  ['C#', 'auto', ['cpp.md']],
  ['foo-bar', 'all', ['dash.md']],
  ['foo-bar', 'auto', ['apart.md', 'dash.md']],
  ["it's", 'auto', ['dash.md']],
  ['it’s', 'auto', ['dash.md']],
  ['cafe', 'auto', ['dash.md']],
  ['CAFÉ', 'auto', ['dash.md']],
  ['sao paulo', 'auto', ['dash.md']],
  ['東京', 'auto', ['japanese.md']],
  ['京都', 'auto', ['japanese.md']],
  ['東京都', 'auto', ['japanese.md']],
  ['猫', 'auto', ['japanese.md']],
  ['旅', 'auto', ['japanese.md']],
  ['京東', 'auto', []],
  ['foo bar', 'phrase', ['dash.md']],
  ['"foo bar"', 'all', ['dash.md']],
  ['foo bar', 'all', ['apart.md', 'dash.md']],
  ['bark', 'auto', ['apart.md']],
  ['"bark"', 'auto', []],
  ['bark', 'phrase', []],
  ['bark', 'substring', ['apart.md']],
  ['crème brûlée', 'substring', ['decomposed.md']],
  ['of the film', 'substring', ['decomposed.md']],
  ['학', 'substring', ['korean.md']],
  ['한국', 'substring', []],
  ['\u0301', 'substring', []],
  ['محمد', 'auto', ['arabic.md']],
  ['مُحَمَّدٌ', 'auto', ['arabic.md']],
  ['שלום', 'auto', ['hebrew.md']],
  ['की', 'auto', ['hindi.md']],
  ['का', 'auto', []],
  ['🎉', 'auto', ['emoji.md']],
  ['empty', 'auto', ['empty.md']],
  ['basil rated', 'all', ['other/rated.md']],
  ['basil tag:garden', 'auto', ['tagged.md']],
  ['basil path:OTHER/r', 'auto', ['other/rated.md']],
  ['basil -old -again', 'auto', ['other/new.md', 'tagged.md']],
  ['basil -"of new" path:other', 'auto', ['other/old.md', 'other/rated.md']],
  ['basils -agains path:rated', 'auto', ['other/rated.md']],
  ['昨日行きました', 'auto', ['japanese.md']],
  ['黒い猫を探した', 'auto', ['japanese.md']],
];

describe('search', () => {
  for (const [query, mode, found] of finds) {
    test(`${query} (${mode}) finds ${found.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(paths(query, mode).sort(), found);
    });
  }

  const firsts: [what: string, query: string, first: string, others: Record<string, string>][] = [
    [
      'all words in a section do not hide the note that has the rare one in its title',
      'configure kestrel port',
      'kestrel.md',
      {
        'kestrel.md': '# Kestrel\n\nSet the address.\n\n## Network\n\nChange the port.',
        'log.md': `# Log\n\n${'word '.repeat(80)}configure the kestrel port ${'word '.repeat(80)}`,
      },
    ],
    [
      'the very form of a word ranks above another of its stem',
      'gardening',
      'b.md',
      { 'a.md': 'a garden here', 'b.md': 'gardening here', 'c.md': 'gardens here' },
    ],
    [
      'stop words do not decide',
      'what is the price of a quince',
      'b.md',
      { 'a.md': 'what is the of a, what is the of a', 'b.md': 'quince: 3' },
    ],
    [
      'camel case is found by its parts',
      'element by id',
      'a.md',
      { 'a.md': 'call getElementById', 'b.md': 'an element' },
    ],
    [
      'camel case finds its parts',
      'maxRetryCount',
      'a.md',
      { 'a.md': 'the max retry count', 'b.md': 'count to ten' },
    ],
    ['snake case is found by its parts', 'retry count', 'a.md', { 'a.md': 'max_retry_count = 1' }],
    ['a version is found by its numbers', '2.14.3', 'a.md', { 'a.md': 'v2.14.3', 'b.md': '2.14' }],
    [
      'a file name is found by its parts',
      'quarterly report',
      'x/QuarterlyReport_v2.md',
      { 'x/QuarterlyReport_v2.md': 'text', 'b.md': 'a report' },
    ],
    [
      'an alias is a title',
      'nightshade',
      'a.md',
      {
        'a.md': '---\naliases: [Nightshade]\n---\ntext',
        'b.md': 'nightshade nightshade nightshade',
      },
    ],
    [
      'of two alike the one that others link to comes first',
      'osprey',
      'a.md',
      {
        'a.md': 'an osprey',
        'b.md': 'an osprey',
        'c.md': '[[a]]',
        'd.md': '[[a]]',
        'e.md': 'else',
        'f.md': 'else',
      },
    ],
  ];
  for (const [what, query, first, others] of firsts) {
    test(what, () => {
      const filler = Array.from({ length: 8 }, (_, n): [string, string] => [`z/${n}.md`, 'filler']);
      const index = memoryIndex({ ...Object.fromEntries(filler), ...others });
      assert.equal(search(index.sql, { query }).items[0]?.path, first);
    });
  }

  test('a word that no note has is tried with one letter changed, and the result says so', () => {
    for (const typo of ['tomatose', 'tomatoess', 'tomatos', 'tumatoes']) {
      const result = search(sql, { query: typo });
      assert.equal(result.items[0]?.path, 'tomatoes.md', typo);
      assert.equal(
        search(sql, { query: typo, mode: 'all' }).items.length,
        typo === 'tomatos' ? 3 : 0,
      );
    }
    assert.equal(search(sql, { query: 'tumatoes' }).relaxed, 'spelling');
  });

  test('the line and the snippet of decomposed letters are those of the words', () => {
    for (const mode of ['auto', 'substring'] as const) {
      const [hit] = search(sql, { query: 'brûlée', mode }).items;
      assert.deepEqual([hit?.path, hit?.line], ['decomposed.md', 5]);
    }
  });

  test('a hit in a title ranks above one in a heading, and that above any in a body', () => {
    assert.deepEqual(paths('tomatoes'), ['tomatoes.md', 'in-heading.md', 'in-body.md']);
  });

  test('a note that opens with the words ranks above one that has them further down', () => {
    const filler = 'words that are about something else\n'.repeat(3);
    const { sql } = memoryIndex({
      'a.md': `the price of copper is high\n\n## One\n\n${filler}\n## Two\n\n${filler}`,
      'b.md': `${filler}\n## One\n\n${filler}\n## Two\n\nthe price of copper`,
    });
    const found = search(sql, { query: 'copper price' }).items.map(({ path }) => path);
    assert.deepEqual(found, ['a.md', 'b.md']);
  });

  test('the note of that very name comes first, however many others have the word in theirs', () => {
    const many = Array.from({ length: 600 }, (_, n): [string, string] => [
      `m/${n}.md`,
      `# Meeting ${n}\n\nmeeting`,
    ]);
    const { sql: crowded } = memoryIndex({ 'meeting.md': 'the one', ...Object.fromEntries(many) });
    const first = (query: object) => search(crowded, { query: 'Meeting', ...query }).items[0]?.path;
    assert.equal(first({}), 'meeting.md');
    assert.notEqual(first({ prefix: 'm' }), 'meeting.md');
  });

  test('words that no note has together are looked for one by one, and the result says so', () => {
    const result = search(sql, { query: 'thyme tomatoes nowhere' });
    assert.equal(result.relaxed, 'any');
    assert.equal(result.items.length, 4);
    assert.equal(search(sql, { query: 'basil' }).relaxed, undefined);
    assert.deepEqual(search(sql, { query: 'thyme tomatoes', mode: 'all' }), { items: [] });
  });

  test('a hit says where it stands: heading path, line of the word, text around it', () => {
    const [hit] = search(sql, { query: 'filler' }).items;
    assert.deepEqual(
      [hit?.path, hit?.title, hit?.heading_path, hit?.line, hit?.snippet],
      ['in-heading.md', 'Else', ['Else'], 3, 'filler text'],
    );
  });

  const filters: [name: string, filter: object, found: string[]][] = [
    ['a tag', { tags: ['#garden'] }, ['tagged.md']],
    ['a tag below', { tags: ['Garden/Herbs'] }, ['tagged.md']],
    ['half a tag', { tags: ['gard'] }, []],
    ['a folder', { prefix: 'other' }, ['other/new.md', 'other/old.md', 'other/rated.md']],
    ['half a folder', { prefix: 'oth' }, []],
    ['a glob', { glob: 'o*d.md' }, ['other/old.md']],
    ['equal', { where: [{ key: 'status', op: 'eq', value: 'draft' }] }, ['tagged.md']],
    ['greater', { where: [{ key: 'rating', op: 'gt', value: 3 }] }, ['tagged.md']],
    ['a number given as text', { where: [{ key: 'pages', op: 'lt', value: '9' }] }, []],
    ['the same', { where: [{ key: 'pages', op: 'gt', value: '9' }] }, ['other/rated.md']],
    ['no value', { where: [{ key: 'due', op: 'lt', value: '2026-06-01' }] }, ['tagged.md']],
    ['a key with others below', { where: [{ key: 'nested', op: 'exists' }] }, ['tagged.md']],
    [
      'none such',
      { where: [{ key: 'nested', op: 'missing' }], prefix: 'other' },
      ['other/new.md', 'other/old.md', 'other/rated.md'],
    ],
    [
      'missing',
      { where: [{ key: 'rating', op: 'missing' }], prefix: 'other' },
      ['other/new.md', 'other/old.md'],
    ],
    ['in a nested list', { where: [{ key: 'nested.key', op: 'eq', value: 'two' }] }, ['tagged.md']],
    [
      'not equal',
      { where: [{ key: 'status', op: 'ne', value: 'done' }], prefix: 'other' },
      ['other/new.md', 'other/old.md'],
    ],
    ['time', { modifiedAfterMs: 1000, modifiedBeforeMs: 9000 }, ['other/old.md']],
  ];
  for (const [name, filter, found] of filters) {
    test(`a search is narrowed by ${name}`, () => {
      const { items } = search(sql, { query: 'basil', ...filter });
      assert.deepEqual(items.map(({ path }) => path).sort(), found);
    });
  }

  test('pages follow one another without gaps and repeats', () => {
    const all = paths('basil');
    const seen: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = search(sql, {
        query: 'basil',
        limit: 1,
        ...(cursor !== undefined && { cursor }),
      });
      seen.push(...page.items.map(({ path }) => path));
      cursor = page.cursor;
    }
    assert.deepEqual(seen, all);
    assert.throws(() => search(sql, { query: 'basil', cursor: 'nonsense' }), /cursor/);
  });

  test('10,000 random strings in every mode never make an error', () => {
    const signs = fc.constantFrom(
      ...'"\'*^:(){}[]+-#\\/%_~ \0\n',
      'AND',
      'OR',
      'NOT',
      'NEAR(',
      'title:',
    );
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.array(fc.oneof(signs, fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
    );
    const mode = fc.constantFrom<SearchMode>('auto', 'all', 'any', 'phrase', 'substring');
    fc.assert(
      fc.property(anything, mode, (query, how) => {
        search(sql, { query, mode: how });
      }),
      { numRuns: propertyRuns(10_000) },
    );
  });
});
