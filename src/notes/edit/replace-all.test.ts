import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { type ReplaceAll, replaceAll } from './replace-all.ts';

const CASES: [about: string, wanted: ReplaceAll, before: string, after: string][] = [
  ['text', { kind: 'literal', pattern: 'a.', replace: '$&' }, 'a. ab a.', '$& ab $&'],
  [
    'text over lines',
    { kind: 'literal', pattern: 'a\nb', replace: 'c\nd' },
    'a\r\nb\r\n',
    'c\r\nd\r\n',
  ],
  [
    'a pattern',
    { kind: 'regex', pattern: '(\\w)-(?<n>\\w)', replace: '$2$1$$$<n>$&$3' },
    'ü a-b',
    'ü ba$ba-b$3',
  ],
  ['a pattern for line starts', { kind: 'regex', pattern: '^', replace: '> ' }, 'a\nb', '> a\n> b'],
  ['a pattern by character', { kind: 'regex', pattern: '.', replace: 'x' }, '日😀', 'xx'],
  [
    'a tag',
    { kind: 'tag', pattern: '#a', replace: 'b' },
    '#a #A/c #ab `#a` #x/a',
    '#b #b/c #ab `#a` #x/a',
  ],
  ['a nested tag', { kind: 'tag', pattern: 'a/b', replace: 'c' }, '#a #a/b #a/b/d', '#a #c #c/d'],
  [
    'a tag after white space in quotes',
    { kind: 'tag', pattern: 'foo', replace: 'x' },
    '---\ntags: [" foo", "# foo/b"]\n---\n',
    '---\ntags: [" x", "# x/b"]\n---\n',
  ],
  [
    'a tag in the frontmatter',
    { kind: 'tag', pattern: 'a', replace: 'é' },
    '---\ntags: [a, "a/b"] # a\n---\n',
    '---\ntags: [é, "é/b"] # a\n---\n',
  ],
];

test('every place gives way and nothing else', () => {
  for (const [about, wanted, before, after] of CASES) {
    const note = parseNote(Buffer.from(before));
    const made = attempt(replaceAll, note, wanted);
    assert.ok(!(made instanceof EditError));
    assert.equal(applyReplacements(note.bytes, made).toString(), after, about);
  }
});

const MIXED = 'a\r\n\r\nb\nc\u2028d\re\r\n';
const LINE_ENDS: [
  about: string,
  pattern: string,
  replace: string,
  before: string,
  after: string,
][] = [
  ['an empty line goes', '^\\n', '', MIXED, 'a\r\nb\nc\u2028d\re\r\n'],
  ['an empty line is filled', '^$', '---', MIXED, 'a\r\n---\r\nb\nc\u2028d\re\r\n'],
  ['every line start', '^', '> ', MIXED, '> a\r\n> \r\n> b\n> c\u2028d\r> e\r\n'],
  ['every line end', '$', ';', MIXED, 'a;\r\n;\r\nb;\nc\u2028d;\re;\r\n'],
  ['a line end is \\n', 'a\\n\\nb', 'x\ny', MIXED, 'x\r\ny\nc\u2028d\re\r\n'],
  ['and may be spelt \\r\\n', 'b\\r\\nc', 'x', MIXED, 'a\r\n\r\nx\u2028d\re\r\n'],
  ['a dot ends before it', '.+$', 'x', 'ab\r\nc\r\n', 'x\r\nx\r\n'],
  ['marks that are no line ends', '[$^]\\$(?<n$>\\^)\\k<n$>', 'x', '^$^^\r\n', 'x\r\n'],
  ['the only line, empty', '^$', 'x', '', 'x'],
  ['characters of several bytes before it', 'ü\\n', 'x', '😀\r\nü\r\n日', '😀\r\nx日'],
];

test('to an expression each line end is one, and the rest after the last is no line', () => {
  for (const [about, pattern, replace, before, after] of LINE_ENDS) {
    const note = parseNote(Buffer.from(before));
    const made = attempt(replaceAll, note, { kind: 'regex', pattern, replace });
    assert.ok(!(made instanceof EditError));
    assert.equal(applyReplacements(note.bytes, made).toString(), after, about);
  }
});

test('a tag that YAML would take for something else is quoted where it stands alone', () => {
  const text =
    '---\ntags: [a, "a", a/b, é]\n---\n#a\n|---\ntag:\n  - a # c\n---\n#a\n|---\ntags: a, b\n---\n';
  const after = [
    ['null', '---\ntags: ["null", "null", null/b, é]\n---\n#null\n'],
    ['1e5', '---\ntag:\n  - "1e5" # c\n---\n#1e5\n'],
    ['true', '---\ntags: true, b\n---\n'],
  ] as const;
  for (const [at, [replace, expected]] of after.entries()) {
    const note = parseNote(Buffer.from(text.split('|')[at]!));
    const made = attempt(replaceAll, note, { kind: 'tag', pattern: 'a', replace });
    assert.ok(!(made instanceof EditError));
    assert.equal(applyReplacements(note.bytes, made).toString(), expected);
  }
});

test('bytes that are not UTF-8 are matched around and kept', () => {
  const note = parseNote(Buffer.from('\xffa\xc3a\xed\xa0\x80a', 'latin1'));
  const made = attempt(replaceAll, note, { kind: 'regex', pattern: '(.)a', replace: '$1b' });
  assert.ok(!(made instanceof EditError));
  assert.equal(applyReplacements(note.bytes, made).toString('latin1'), '\xffb\xc3b\xed\xa0\x80b');
});

test('an empty pattern, a broken one and a tag that is none are refused', () => {
  const refused: [ReplaceAll, string][] = [
    [{ kind: 'literal', pattern: '', replace: 'x' }, 'invalid_arguments'],
    [{ kind: 'regex', pattern: '(', replace: 'x' }, 'regex_invalid'],
    [{ kind: 'tag', pattern: 'a', replace: 'b c' }, 'invalid_arguments'],
  ];
  for (const [wanted, code] of refused) {
    const made = attempt(replaceAll, parseNote(Buffer.from('a')), wanted);
    assert.ok(made instanceof EditError);
    assert.equal(made.code, code);
  }
});

test('an expression that matches everywhere is not followed past what may be replaced', () => {
  const note = parseNote(Buffer.from('x'.repeat(1000)));
  const made = attempt(replaceAll, note, { kind: 'regex', pattern: 'x', replace: 'y', most: 10 });
  assert.ok(Array.isArray(made));
  assert.equal(made.length, 11);
});

test('a text that stands everywhere is not followed past what may be replaced', () => {
  const note = parseNote(Buffer.from('x'.repeat(1000)));
  const made = attempt(replaceAll, note, { kind: 'literal', pattern: 'x', replace: 'y', most: 10 });
  assert.ok(Array.isArray(made));
  assert.equal(made.length, 11);
});

test('what repeats its match until no note could hold it is refused before it is made', () => {
  const note = parseNote(Buffer.from('x'.repeat(1_000_000)));
  for (const replace of ['$&'.repeat(40), '$1'.repeat(40), '$<all>'.repeat(5000)]) {
    const made = attempt(replaceAll, note, { kind: 'regex', pattern: '(?<all>x+)', replace });
    assert.ok(made instanceof EditError, replace.slice(0, 10));
    assert.equal(made.code, 'invalid_arguments');
  }
});
