import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import type { ReviewKind } from './review-item.ts';
import { vaultReview } from './vault-review.ts';

/** What the fixes of one kind make of the lines of `m.md`; undefined where there is none. */
function fixed(kind: ReviewKind, files: Readonly<Record<string, string>>): (string | undefined)[] {
  const { sql } = memoryIndex(files);
  const { items } = vaultReview(sql, { only: [kind], nowMs: 0 });
  return items.map(({ path, fix }) => {
    assert.equal(path, 'm.md');
    const edits = fix?.arguments.edits as { new_string: string }[] | undefined;
    return edits?.[0]?.new_string;
  });
}

const TARGET = '# N\n\n## Right heading\n\n## Pipes | and ]] more\n\n## Über (50% "of" it)\n';

const anchors: [what: string, text: string, line: string | undefined][] = [
  ['a Markdown link', 'See [x](n.md#rigth-heading).', 'See [x](n.md#Right%20heading).'],
  ['one in angle brackets', '[x](<n.md#Rigth heading>)', '[x](<n.md#Right heading>)'],
  ['one with a title', '[x](n.md#rigth-heading "t")', '[x](n.md#Right%20heading "t")'],
  ['an encoded one', '[x](n.md#Rigth%20heading)', '[x](n.md#Right%20heading)'],
  ['signs that end a path', '[x](n.md#über-50-of)', '[x](n.md#Über%20%2850%25%20%22of%22%20it%29)'],
  ['a definition', '[x]\n\n[x]: n.md#rigth-heading', '[x]: n.md#Right%20heading'],
  ['a wiki link', '[[n#Rigth heading|x]]', '[[n#Right heading|x]]'],
  ['a wiki link in a table', '| [[n#Pipes and mor\\|x]] |', '| [[n#Pipes and more\\|x]] |'],
  ['a tag of that name', '#Rigth [[n# Rigth ]]', '#Rigth [[n#Right heading ]]'],
  [
    'a longer one beside it',
    '[[n# Right hea ]] [[n#Right heading]]',
    '[[n#Right heading ]] [[n#Right heading]]',
  ],
];

describe('the fix of a broken anchor leads to the heading and changes that link only', () => {
  for (const [what, text, line] of anchors) {
    test(what, () => {
      const files = { 'n.md': TARGET, 'm.md': text };
      assert.deepEqual(fixed('broken_anchor', files), [line]);
      const mended = text.replace(/[^\n]*$/, () => line ?? '');
      assert.deepEqual(fixed('broken_anchor', { 'n.md': TARGET, 'm.md': mended }), []);
    });
  }
});

const ambiguous: [what: string, text: string, line: string][] = [
  ['a bare name', '[[foo]]', '[[a/foo]]'],
  ['a label', '[[foo|x]]', '[[a/foo|x]]'],
  ['an anchor', '![[foo#H]]', '![[a/foo#H]]'],
  ['a label in a table', '| [[foo\\|x]] |', '| [[a/foo\\|x]] |'],
  ['spaces, and a longer name beside it', '[[ foo ]] and [[foobar]]', '[[ a/foo ]] and [[foobar]]'],
  ['code that says the same', '`[[foo` and [[ foo ]]', '`[[foo` and [[ a/foo ]]'],
];

describe('the fix of an ambiguous link changes that link only', () => {
  for (const [what, text, line] of ambiguous) {
    test(what, () => {
      const files = { 'a/foo.md': '# H\n', 'b/foo.md': '# H\n', 'c/foobar.md': '', 'm.md': text };
      assert.deepEqual(fixed('ambiguous_link', files), [line]);
    });
  }
});
