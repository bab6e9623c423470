import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { vaultReview } from './vault-review.ts';

/** Path, line and new line of each mention of the notes that are given. */
function mentions(files: Readonly<Record<string, string>>, prefix?: string): unknown[] {
  const { sql } = memoryIndex(files);
  const { items } = vaultReview(sql, {
    only: ['unlinked_mention'],
    nowMs: 0,
    ...(prefix !== undefined && { prefix }),
  });
  return items.map(({ path, line, fix }) => {
    const edits = fix?.arguments.edits as { new_string: string }[] | undefined;
    return [path, line, edits?.[0]?.new_string];
  });
}

const rows: [what: string, text: string, line?: number, fixed?: string][] = [
  ['a word by itself', 'Of Alpha.', 1, 'Of [[Alpha]].'],
  ['a longer word, and then the word', 'Alphabet soup\n\nand Alpha', 3, 'and [[Alpha]]'],
  ['a longer word beside the word', 'Alphabet, Alpha', 1, 'Alphabet, [[Alpha]]'],
  ['the end of a word, and then the word', 'MyAlpha, Alpha2\n\n(ALPHA)', 3, '([[Alpha|ALPHA]])'],
  ['a combining accent', 'Of Alpha\u0301', 1, 'Of [[Alpha|Alpha\u0301]]'],
  ['a fence', '```\nAlpha\n```\n'],
  ['a fence, and text after it', '~~~\nAlpha\n~~~\n\nOf Alpha', 5, 'Of [[Alpha]]'],
  ['a fence in a list', '- a\n\n  ```\n  Alpha\n  ```\n'],
  ['an indented block', 'a\n\n    Alpha\n'],
  ['a code span', 'a `let Alpha` b'],
  ['a code span over two lines', 'a `let\nAlpha =\n1` b'],
  ['an escaped backtick', 'a \\` Alpha `', 1],
  ['HTML', '<div>\nAlpha\n</div>'],
  ['the frontmatter', '---\nabout: Alpha\n---\ntext'],
  ['the text after a frontmatter', '---\nabout: Alpha\n---\nOf Alpha', 4, 'Of [[Alpha]]'],
  ['a heading', '# Alpha here\n\nAnd Alpha', 3, 'And [[Alpha]]'],
  ['an address', 'See https://example.com/Alpha and www.Alpha.org, https://a.b/x?q=Alpha&y'],
  [
    'an address, and then the word',
    'See https://a.b/Alpha of Alpha',
    1,
    'See https://a.b/Alpha of [[Alpha]]',
  ],
  ['a tag', 'x #Alpha #work/Alpha #my-Alpha y'],
  ['a mail address', 'to Alpha@example.com or me@Alpha.org'],
  ['a path or a file name', 'in src/Alpha or Alpha/src or Alpha.ts or std::Alpha'],
  ['two in one line', 'Of Alpha: it is Alpha.', 1],
  ['a clause', 'That is Alpha: the first.', 1, 'That is [[Alpha]]: the first.'],
  ['a table', '| a | b |\n|---|---|\n| Alpha | y |', 3, '| [[Alpha]] | y |'],
  ['a table that needs a label', '| a | b |\n|---|---|\n| ALPHA | y |', 3],
  ['a table whose row has no bar', '| a |\n|---|\nALPHA', 3],
  ['text with a bar in it', 'a | b\n\nof ALPHA', 3, 'of [[Alpha|ALPHA]]'],
  ['lines that end in \\r\\n', '```\r\nAlpha\r\n```\r\nOf Alpha\r\n', 4, 'Of [[Alpha]]'],
];

describe('a title that a note says without a link', () => {
  for (const [what, text, line, fixed] of rows) {
    test(`${what}: ${line === undefined ? 'no mention' : `line ${line}`}`, () => {
      const found = mentions({ 'Alpha.md': '# Alpha\n', 'other.md': text });
      assert.deepEqual(found, line === undefined ? [] : [['other.md', line, fixed]]);
    });
  }

  test('is found in a script without spaces', () => {
    const files = { '東京都庁舎.md': '# 東京都庁舎\n', 'other.md': '昨日東京都庁舎へ' };
    assert.deepEqual(mentions(files), [['other.md', 1, '昨日[[東京都庁舎]]へ']]);
  });

  test('names the folder of the note that mentions it', () => {
    const files = { 'a/Alpha.md': '# Alpha\n', 'b/other.md': 'Of Alpha' };
    assert.deepEqual(mentions(files, 'a'), []);
    assert.deepEqual(mentions(files, 'b'), [['b/other.md', 1, 'Of [[Alpha]]']]);
  });

  test('is found behind however many notes that link to it', () => {
    const linking = Array.from({ length: 60 }, (_, number) => [
      `${number}.md`,
      'Alpha is [[Alpha]]',
    ]);
    const files = { 'Alpha.md': '# Alpha\n', ...Object.fromEntries(linking), 'z.md': 'Of Alpha' };
    assert.deepEqual(mentions(files), [['z.md', 1, 'Of [[Alpha]]']]);
  });
});
