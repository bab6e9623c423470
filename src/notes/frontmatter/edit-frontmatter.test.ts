import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { editFrontmatter, type FrontmatterEdit } from './edit-frontmatter.ts';

function edit(text: string, wanted: FrontmatterEdit): string {
  const note = parseNote(Buffer.from(text));
  const made = attempt(editFrontmatter, note, wanted);
  assert.ok(!(made instanceof EditError), made instanceof EditError ? made.message : '');
  return applyReplacements(note.bytes, made).toString();
}

const FULL = `---
# who
title:   "Old"   # the title
'quoted key': 'it''s'
tags:
    - one # first
    - "two"
    # between
aliases: [ a,  b ]
nested:
  deep: [1, 2]   # kept
text: |
  one

  two
empty:
done: yes # odd
---
body
`;

const ONE_LINE: [about: string, wanted: FrontmatterEdit, before: string, after: string][] = [
  ['a string keeps its quotes', { set: { title: 'New' } }, '"Old"', '"New"'],
  ['so does a single-quoted one', { set: { 'quoted key': "isn't" } }, "'it''s'", "'isn''t'"],
  ['an empty key gets a value', { set: { empty: 3 } }, 'empty:\n', 'empty: 3\n'],
  ['a comment stays', { set: { done: true } }, 'yes # odd', 'true # odd'],
  ['a new key comes last', { set: { new: 'x' } }, '# odd\n', '# odd\nnew: x\n'],
  ['a block of text on one line', { set: { text: 'a\nb' } }, '|\n  one\n\n  two', '"a\\nb"'],
  ['a mapping', { set: { nested: { a: [1] } } }, '\n  deep: [1, 2]   # kept', ' {a: [1]}'],
  ['a list in brackets', { set: { aliases: ['x, y'] } }, '[ a,  b ]', '["x, y"]'],
  ['a key is removed with its comment', { unset: ['title'] }, 'title:   "Old"   # the title\n', ''],
  ['a key with a block is removed', { unset: ['text'] }, 'text: |\n  one\n\n  two\n', ''],
  ['a key that is not there is not removed', { unset: ['none'] }, '', ''],
  ['the same value changes nothing', { set: { title: 'Old' } }, '', ''],
  ['an item in brackets', { add_aliases: ['c: d'] }, 'b ]', 'b, "c: d" ]'],
  ['the first item in brackets goes', { remove_aliases: ['a'] }, 'a,  b', 'b'],
  ['the last item in brackets goes', { remove_aliases: ['B'] }, 'a,  b', 'a'],
  ['the only item goes', { remove_aliases: ['a', 'b'] }, '[ a,  b ]', '[]'],
  ['an item in lines', { add_tags: ['#three'] }, '"two"\n', '"two"\n    - three\n'],
  ['an item in lines goes', { remove_tags: ['One'] }, '    - one # first\n', ''],
  ['a tag that is there is not added', { add_tags: ['TWO'] }, '', ''],
  ['a date', { set: { empty: '2026-11-15' } }, 'empty:\n', 'empty: 2026-11-15\n'],
  [
    'a text that looks like another type',
    { set: { empty: 'true' } },
    'empty:\n',
    'empty: "true"\n',
  ],
];

test('comments beside what is changed stay', () => {
  for (const [wanted, before, after] of [
    [{ set: { k: 1 } }, 'k: # mine\n  - a\n', 'k: 1 # mine\n'],
    [{ set: { k: 1 } }, 'k:\t#mine\n  a: b\nl: 2\n', 'k: 1\t#mine\nl: 2\n'],
    [{ set: { k: 'new' } }, 'k: | # mine\n  text\n\nl: 2\n', 'k: new # mine\n\nl: 2\n'],
    [{ set: { k: [1] } }, 'k: >2-\t#mine\n   # text\n', 'k: [1]\t#mine\n'],
    [{ set: { k: 1 } }, 'k: |\n  # text\n', 'k: 1\n'],
    [{ remove_tags: ['b'] }, 'tags: [a, # first\n  b]\n', 'tags: [a, # first\n  ]\n'],
    [
      { remove_tags: ['b', 'c'] },
      'tags: [a, # first\n  b, # second\n  c] # all\n',
      'tags: [a, # first\n  ] # all\n',
    ],
    [
      { remove_tags: ['b'], add_tags: ['d'] },
      'tags: [a, # first\n  b]\n',
      'tags: [a, d, # first\n  ]\n',
    ],
  ] as const) {
    assert.equal(edit(`---\n${before}---\n`, wanted), `---\n${after}---\n`);
  }
});

test('one change changes its own line, and every other byte stays', () => {
  for (const [about, wanted, before, after] of ONE_LINE) {
    assert.equal(
      edit(FULL, wanted),
      FULL.replace(before, () => after),
      about,
    );
    const crlf = FULL.replaceAll('\n', '\r\n');
    const expected = FULL.replace(before, () => after).replaceAll('\n', '\r\n');
    assert.equal(edit(crlf, wanted), expected, `${about}, CRLF`);
    assert.equal(edit(`\ufeff${FULL}`, wanted), `\ufeff${FULL.replace(before, () => after)}`);
  }
});

const OTHERS: [about: string, wanted: FrontmatterEdit, before: string, after: string][] = [
  ['none there yet', { set: { a: 1 } }, 'body', '---\na: 1\n---\nbody'],
  ['none there yet, CRLF', { add_tags: ['x'] }, 'b\r\n', '---\r\ntags: [x]\r\n---\r\nb\r\n'],
  ['none there, after a mark', { set: { a: 1 } }, '\ufeff# A\n', '\ufeff---\na: 1\n---\n# A\n'],
  ['none there and none needed', { unset: ['a'], remove_tags: ['x'] }, 'body', 'body'],
  ['an empty one', { set: { a: 1 } }, '---\n---\n', '---\na: 1\n---\n'],
  ['comments alone', { set: { a: 1 } }, '---\n# c\n---\n', '---\n# c\na: 1\n---\n'],
  ['the last key goes', { unset: ['a'] }, '---\na: 1\n---\n', '---\n---\n'],
  ['indented keys', { set: { b: 1 } }, '---\n  a: 1\n---\n', '---\n  a: 1\n  b: 1\n---\n'],
  ['tags in a text', { add_tags: ['c'] }, '---\ntags: a, b\n---\n', '---\ntags: [a, b, c]\n---\n'],
  [
    'tags under the other name',
    { add_tags: ['c'] },
    '---\ntag: a\n---\n',
    '---\ntag: [a, c]\n---\n',
  ],
  ['an empty list', { add_tags: ['c'] }, '---\ntags: []\n---\n', '---\ntags: [c]\n---\n'],
  [
    'an alias with a comma is one',
    { add_aliases: ['c'] },
    '---\naliases: a, b\n---\n',
    '---\naliases: ["a, b", c]\n---\n',
  ],
  ['a number', { add_aliases: ['b'] }, '---\nalias: 007\n---\n', '---\nalias: [007, b]\n---\n'],
  [
    'a number with a comment',
    { add_tags: ['x'] },
    '---\ntags: 1.10 # c\n---\n',
    '---\ntags: [1.10, x] # c\n---\n',
  ],
  [
    'a mapping in place of a list',
    { add_aliases: ['b'] },
    '---\naliases: {a: 01}\n---\n',
    '---\naliases: [{a: 01}, b]\n---\n',
  ],
  [
    'lines without indentation',
    { add_tags: ['b'] },
    '---\ntags:\n- a\n---\n',
    '---\ntags:\n- a\n- b\n---\n',
  ],
  [
    'a list of lines is set',
    { set: { a: ['x', 'y'] } },
    '---\na:\n  - 1\n  - 2\n  - 3\nb: 1\n---\n',
    '---\na:\n  - x\n  - y\nb: 1\n---\n',
  ],
  [
    'several at once',
    { set: { a: 2 }, unset: ['b'], add_tags: ['t'] },
    '---\na: 1\nb: 1\n---\n',
    '---\na: 2\ntags: [t]\n---\n',
  ],
  [
    'letters of several bytes',
    { set: { b: 'ñ' } },
    '---\na: "日本"\nb: ü # é\n---\n',
    '---\na: "日本"\nb: ñ # é\n---\n',
  ],
];

test('frontmatter is made where there is none, and written as it is written', () => {
  for (const [about, wanted, before, after] of OTHERS)
    assert.equal(edit(before, wanted), after, about);
});

const REFUSED: [text: string, wanted: FrontmatterEdit, code: string][] = [
  ['---\na: [\n---\n', { set: { b: 1 } }, 'frontmatter_invalid'],
  ['---\n- a\n---\n', { set: { b: 1 } }, 'frontmatter_invalid'],
  ['---\na: 1\na: 2\n---\n', { set: { b: 1 } }, 'frontmatter_invalid'],
  ['---\n{a: 1}\n---\n', { set: { b: 1 } }, 'frontmatter_invalid'],
  ['---\na: &x 1\nb: *x\n---\n', { set: { a: 2 } }, 'frontmatter_invalid'],
  ['---\na: &x 1\nb: *x\n---\n', { unset: ['a'] }, 'frontmatter_invalid'],
  ['body', { set: { __proto__x: 1 }, add_tags: ['a b'] }, 'invalid_arguments'],
  ['body', { add_tags: ['12'] }, 'invalid_arguments'],
];

test('what cannot be changed in its own lines alone is refused', () => {
  for (const [text, wanted, code] of REFUSED) {
    const made = attempt(editFrontmatter, parseNote(Buffer.from(text)), wanted);
    assert.ok(made instanceof EditError, text);
    assert.equal(made.code, code, text);
  }
});

test('a value may end in any space that is none to YAML', () => {
  for (const value of ['x\u00a0', 'x\u3000', '\u2028', 'x\u2029', '\u00a0', 'x\n', ' x ']) {
    for (const wanted of [{ set: { a: value } }, { set: { a: [value] } }]) {
      const { frontmatter } = parseNote(Buffer.from(edit('---\nb: 1\n---\n', wanted)));
      assert.deepEqual(frontmatter?.data, { b: 1, ...wanted.set });
    }
    const { aliases } = parseNote(Buffer.from(edit('body', { add_aliases: ['q', value] })));
    assert.deepEqual(aliases, ['q', value]);
  }
});

const TAG_LISTS: [wanted: FrontmatterEdit, before: string, after: string][] = [
  [{ remove_tags: ['dup'] }, 'tags: ["#dup", x]', 'tags: [x]'],
  [{ remove_tags: ['#dup'] }, 'tags: ["#dup"]', 'tags: []'],
  [{ add_tags: ['dup'] }, 'tags: ["#dup"]', 'tags: ["#dup"]'],
  [{ remove_tags: ['foo'] }, 'tags: [Foo, foo, FOO]', 'tags: []'],
  [{ remove_tags: ['foo'] }, 'tags: [ Foo, a, foo,  b, FOO, "#foo" ]', 'tags: [ a, b ]'],
  [
    { remove_tags: ['foo'] },
    'tags:\n  - Foo # 1\n  - a # 2\n  - "#foo"\n  - foo\nx: 1',
    'tags:\n  - a # 2\nx: 1',
  ],
  [{ remove_tags: ['one'] }, 'tags: "#one #two"', 'tags: [two]'],
  [{ add_tags: ['one'] }, 'tags: "#one #two"', 'tags: "#one #two"'],
  [{ add_tags: ['three'] }, 'tags: "#one, #two"', 'tags: [one, two, three]'],
  [{ remove_tags: ['a'] }, 'tags: [a/b, "a/", [a], 1]', 'tags: [a/b, [a], 1]'],
  [{ remove_tags: ['c'] }, 'tags: [a, b]\ntag: c', 'tags: [a, b]\ntag: c'],
  [{ remove_aliases: ['x'] }, 'aliases: [X, "#x", x]', 'aliases: ["#x"]'],
  [{ remove_aliases: ['007'] }, 'aliases: [7, 007, a]', 'aliases: [7, a]'],
  [{ add_aliases: ['7'] }, 'aliases: [007]', 'aliases: [007, "7"]'],
];

test('a tag is there, is added and goes as the index reads it, however it is written', () => {
  for (const [wanted, before, after] of TAG_LISTS) {
    const edited = edit(`---\n${before}\n---\n`, wanted);
    assert.equal(edited, `---\n${after}\n---\n`);
    const named = (tags: readonly string[] = []) => tags.map((tag) => tag.replace('#', ''));
    const found = parseNote(Buffer.from(edited)).tags.map(({ name }) => name.toLowerCase());
    for (const tag of named(wanted.remove_tags)) assert.ok(!found.includes(tag), before);
    for (const tag of named(wanted.add_tags)) assert.ok(found.includes(tag), before);
  }
});
