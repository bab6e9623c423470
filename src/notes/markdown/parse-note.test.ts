import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNote } from './parse-note.ts';

const parse = (text: string | Buffer) => parseNote(Buffer.from(text));
const slice = (text: string, { start, end }: { start: number; end: number }) =>
  Buffer.from(text).subarray(start, end).toString();

const HEADINGS: [about: string, text: string, headings: string[]][] = [
  ['ATX with closing marks', '# A #\n## B##\n### C ###  \n', ['1 A', '2 B##', '3 C']],
  ['setext over several lines', 'a\nb\n===\nc\n---\n', ['1 a b', '2 c']],
  ['an empty one', '#\n## \n', ['1 ', '2 ']],
  ['seven marks and no space are text', '####### a\n#b\n', []],
  ['none in a fence', '```\n# a\n```\n~~~~\n# b\n~~~\n# c\n~~~~\n# d\n', ['1 d']],
  ['none in a four-tick fence', '````\n```\n# a\n```\n````\n', []],
  ['none in an unclosed fence', '# a\n```\n# b\n', ['1 a']],
  ['none in comments and HTML', '<!--\n# a\n-->\n<div>\n# b\n</div>\n\n# c\n', ['1 c']],
  ['none in indented code', 'x\n\n    # a\n', []],
  ['none in quotes and lists', '> # a\n\n- x\n  # b\n  - # c\n\n- # d\n\n# e\n', ['1 e']],
  [
    'those of outermost bullets where there are no others',
    '- x\n- ## b\n\t- # c\n- y\n  # d\n* # e #\n',
    ['2 b', '1 e'],
  ],
  ['none in frontmatter', '---\n# a\nb: 1\n---\n# c\n', ['1 c']],
  ['a rule is none', 'a\n\n---\n\nb\n***\n', []],
  ['CRLF', '# A\r\n\r\nB\r\n---\r\n', ['1 A', '2 B']],
  ['lone carriage returns', '# A\r\rB\r===\r', ['1 A', '1 B']],
  ['after a byte order mark', '\ufeff# A\n', ['1 A']],
  ['bytes that are space in Latin-1 stay', '# Voilà\n', ['1 Voilà']],
];

test('headings are those of CommonMark outside quotes and lists', () => {
  for (const [about, text, expected] of HEADINGS) {
    const found = parse(text).headings.map(({ level, text: own }) => `${level} ${own}`);
    assert.deepEqual(found, expected, about);
  }
});

test('a section reaches to the next heading of the same or a higher level', () => {
  const text = '# A\n## B\nb\n### C\nc\n## D\n# E\ne';
  const { headings, sections } = parse(text);
  assert.deepEqual(
    headings.map((heading) => [heading.path.join('/'), slice(text, heading), heading.line]),
    [
      ['A', '# A\n## B\nb\n### C\nc\n## D\n', 1],
      ['A/B', '## B\nb\n### C\nc\n', 2],
      ['A/B/C', '### C\nc\n', 4],
      ['A/D', '## D\n', 6],
      ['E', '# E\ne', 7],
    ],
  );
  assert.equal(sections.map((section) => slice(text, section)).join(''), text);
});

test('the text before the first heading is a section without a path', () => {
  const text = '---\na: 1\n---\nintro\n# A\n';
  const [first] = parse(text).sections;
  assert.deepEqual(first!.headingPath, []);
  assert.equal(slice(text, first!), 'intro\n');
  assert.equal(first!.line, 4);
});

const LINKS: [about: string, text: string, links: string[]][] = [
  ['wiki', '[[foo]] [[a/b#h|label]]', ['wiki foo', 'wiki a/b #h |label']],
  ['embed', '![[foo.png|300]]', ['embed foo.png |300']],
  ['block reference', '[[foo#^id]] [[#h]]', ['wiki foo #^id', 'wiki  #h']],
  ['escaped bar in a table', '| [[foo\\|x]] |\n| - |', ['wiki foo |x']],
  ['markdown', '[x](foo.md#h "t") [y](<b c.md>)', ['markdown foo.md #h |x', 'markdown b c.md |y']],
  ['encoded', '[x](b%20c%23.md#%C3%BC)', ['markdown b c#.md #ü |x']],
  ['not encoded after all', '[x](100%.md)', ['markdown 100%.md |x']],
  ['escaped', '[x](a\\(b.md)', ['markdown a(b.md |x']],
  ['a character by its name', '[x](a&amp;caf&eacute;.md)', ['markdown a&café.md |x']],
  ['characters by their numbers', '[x](&#228;&#xF6;.md#h)', ['markdown äö.md #h |x']],
  ['a name that no character has', '[x](a&nosuch;b&amp.md)', ['markdown a&nosuch;b&amp.md |x']],
  ['an escaped one', '[x](a\\&amp;.md)', ['markdown a&amp;.md |x']],
  ['a definition with one', '[x]: a&amp;b.md\n', ['markdown a&b.md |x']],
  ['none in a wiki link', '[[a&amp;b]]', ['wiki a&amp;b']],
  ['balanced parentheses', '[x](a(b).md)', ['markdown a(b).md |x']],
  ['image in a link', '[![i](a.png)](b.md)', ['image a.png |i', 'markdown b.md |![i](a.png)']],
  ['link in a link', '[a [b](c.md)](d.md)', ['markdown c.md |b']],
  [
    'definition',
    '[x]: <foo bar.md> "t"\n[y]: a.md\n',
    ['markdown foo bar.md |x', 'markdown a.md |y'],
  ],
  ['footnote', '[^1]: [[foo]]\n', ['wiki foo']],
  ['innermost brackets', '[[[foo]]] [[a [[b]]', ['wiki foo', 'wiki b']],
  ['code in a label', '[[foo|`x`]]', ['wiki foo |`x`']],
  ['frontmatter', '---\na: "[[foo#h|b]]"\nb: [x, \'[[c]]\']\n---\n', ['wiki foo #h |b', 'wiki c']],
  ['in a quote and a list', '> - [[foo]]\n>   more [x](a.md)\n', ['wiki foo', 'markdown a.md |x']],
  ['none in code spans', '`[[a]]` ``[b](c) ` ``', []],
  ['none in a code span that begins in it', '[[a`b]] c`', []],
  ['none in fences', '```\n[[a]]\n```\n\n    [[b]]\n', []],
  ['none in comments', '<!-- [[a]] --> x <!-- [b](c.md)\n-->', []],
  ['none in HTML', '<a title="[[a]]"> <div>\n\n<div>\n[[b]]\n</div>', []],
  ['none that is escaped', '\\[[a]] \\[b](c.md)', []],
  ['none over two lines', '[[a\nb]]', []],
  ['none to the outside', '[a](https://x.test) [b](mailto:a@b) [c](//x) <https://x/[[y]]>', []],
  ['none with spaces', '[a](b c.md)', []],
];

test('links are found with the bytes of their targets, and nowhere else', () => {
  for (const [about, text, expected] of LINKS) {
    const found = parse(text).links.map(({ kind, target, anchor, label }) =>
      [`${kind} ${target}`, anchor && `#${anchor}`, label && `|${label}`].filter(Boolean).join(' '),
    );
    assert.deepEqual(found, expected, about);
  }
});

test('the range of a target is what stands between brackets, label left out', () => {
  const text = 'ü [[ foo#h | a]] [x]( <b c.md#d> )';
  const targets = parse(text).links.map(({ targetStart, targetEnd }) =>
    slice(text, { start: targetStart, end: targetEnd }),
  );
  assert.deepEqual(targets, ['foo#h', 'b c.md#d']);
});

const TAGS: [text: string, tags: string[]][] = [
  ['#a #b/c-d_e (#no) x#no #1 #1a # no', ['a', 'b/c-d_e', '1a']],
  ['# #a\n\n`#no` [x](#no) https://x/#no', ['a']],
  ['#日本 #été… #a/', ['日本', 'été', 'a']],
  ['---\ntags: [a, "b c", "#d"]\n---\n', ['a', 'b', 'd']],
  ['---\ntags:\n  - ü\n  - b\n---\n', ['ü', 'b']],
  ['---\ntags: a, b c\n---\n', ['a', 'b', 'c']],
  ['---\ntag: a\n---\n', ['a']],
];

test('tags are read from the text and from the frontmatter', () => {
  for (const [text, expected] of TAGS) {
    const { tags } = parse(text);
    assert.deepEqual(
      tags.map(({ name }) => name),
      expected,
      text,
    );
    for (const tag of tags) assert.equal(slice(text, tag), tag.name, text);
  }
});

test('tasks are the items of lists that begin with a box or a word', () => {
  const text =
    '- [ ] a 📅 2026-11-15\n  1. [x] b\n> * [X] c due: 2026-01-02\n\n[ ] no\n- [ ]no\n- [-] dropped\n- [/] begun\n- [ab] no\n- [a](b) no\n- TODO: no\n- TODOS no\n- DOING d\n  SCHEDULED: <2026-11-16 Mon>\n\n```\n- [ ] no\n```\n';
  assert.deepEqual(
    parse(text).tasks.map(({ line, done, state, text, due }) => [line, done, state, text, due]),
    [
      [1, false, ' ', 'a 📅 2026-11-15', '2026-11-15'],
      [2, true, 'x', 'b', undefined],
      [3, true, 'X', 'c due: 2026-01-02', '2026-01-02'],
      [7, true, '-', 'dropped', undefined],
      [8, false, '/', 'begun', undefined],
      [13, false, 'DOING', 'd', '2026-11-16'],
    ],
  );
  for (const { mark, state } of parse(text).tasks) {
    assert.equal(Buffer.from(text).toString('latin1', mark, mark + state.length), state);
  }
});

const FRONTMATTER: [text: string, expected: unknown][] = [
  ['---\na: 1\n---\n', { a: 1 }],
  ['\ufeff---\r\na: 1\r\n---', { a: 1 }],
  ['---\ra: 1\rb: 2\r---\r', { a: 1, b: 2 }],
  ['---\n---\n', {}],
  ['---  \n# only a comment\n---\t\n', {}],
  ['---\na: 1\n', undefined],
  ['\n---\na: 1\n---\n', undefined],
  ['----\na: 1\n---\n', undefined],
  ['---', undefined],
];

test('frontmatter stands between two lines of three dashes at the very start', () => {
  for (const [text, expected] of FRONTMATTER) {
    assert.deepEqual(parse(text).frontmatter?.data, expected, JSON.stringify(text));
    assert.equal(parse(text).frontmatter?.problem, undefined);
  }
});

const PROBLEMS: [text: string | Buffer, problem: RegExp][] = [
  ['---\na: 1\nb: [\n---\n', /not valid YAML in line 4/],
  ['---\n- a\n---\n', /not a mapping/],
  ['---\na: 1\na: 2\n---\n', /key a twice/],
  ['---\n? [a]\n: 1\n---\n', /not a plain name/],
  [Buffer.from('---\na: \xff\n---\n', 'latin1'), /not UTF-8/],
  [`---\na: ${'['.repeat(50_000)}\n---\n`, /not valid YAML/],
  [`---\na: ${'x'.repeat(70_000)}\n---\n`, /over 64 KiB/],
  [
    `---\na: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n---\n`,
    /cannot be read/,
  ],
];

test('frontmatter that cannot be read is said to be so and keeps its bounds', () => {
  for (const [text, problem] of PROBLEMS) {
    const { frontmatter, headings } = parse(Buffer.concat([Buffer.from(text), Buffer.from('# h')]));
    assert.match(frontmatter!.problem!, problem);
    assert.equal(frontmatter!.data, undefined);
    assert.equal(frontmatter!.end, Buffer.from(text).length);
    assert.equal(headings.length, 1);
  }
});

test('title, aliases and words are read', () => {
  assert.equal(parse('---\ntitle: T\n---\n# H\n').title, 'T');
  assert.equal(parse('## no\n# H\n').title, 'H');
  assert.equal(parse('text').title, undefined);
  assert.deepEqual(parse('---\naliases: [a, 2]\n---\n').aliases, ['a', '2']);
  assert.deepEqual(parse('---\nalias: a\n---\n').aliases, ['a']);
  assert.deepEqual(parse('---\naliases: [007, 1.10, "08", 1e3]\n---\n').aliases, [
    ...['007', '1.10', '08', '1e3'],
  ]);
  assert.deepEqual(parse('---\naliases:\n  - 0x1F\n  - b\n---\n').aliases, ['0x1F', 'b']);
  assert.deepEqual(parse('---\nalias: 2.50 # why\n---\n').aliases, ['2.50']);
  assert.equal(parse('---\ntitle: 1.10\n---\n# H\n').title, '1.10');
  assert.equal(parse('---\ntitle: 12345678901234567890\n---\n').title, '12345678901234567890');
  assert.equal(parse('---\ntitle: ~\n---\n# H\n').title, 'H');
  assert.equal(parse("it's two words").words, 3);
  assert.equal(parse('---\nnot: counted\n---\n日本 été').words, 3);
});

const OPEN_ENDS: [text: string, kind: string | undefined][] = [
  ['```\na\n', 'fence'],
  ['````\n```\n', 'fence'],
  ['~~~', 'fence'],
  ['```\na\n```\n\n', undefined],
  ['```\na\n````', undefined],
  ['- ```\n  a\n', undefined],
  ['<!-- a\n\nb\n', 'html'],
  ['<!-- a -->\n', undefined],
  ['<script>\n', 'html'],
  ['<div>\n', undefined],
  ['text\n', undefined],
];

test('a last block that never ends is known', () => {
  for (const [text, kind] of OPEN_ENDS) assert.equal(parse(text).openEnd?.kind, kind, text);
});

test('frontmatter without a title gives none', () => {
  assert.equal(parse('---\ntags: [a]\n---\ntext\n').title, undefined);
  assert.equal(parse('---\ntitle: C\n---\n').title, 'C');
});

test('a task is due on a day that the calendar has', () => {
  const text =
    '- [ ] a 📅 2026-99-99\n- [ ] b due: 2026-02-30\n- [ ] c @due(2028-02-29)\n- [ ] d 📅 2026-02-30 due: 2026-03-01\n';
  assert.deepEqual(
    parse(text).tasks.map(({ due }) => due),
    [undefined, undefined, '2028-02-29', undefined],
  );
});
