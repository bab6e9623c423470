import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/index-fixture.ts';
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
  ['an accent that goes on', 'Alpha\u0301\n\nOf Alpha', 3, 'Of [[Alpha]]'],
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

  test('is told of the folder of the note that says it', () => {
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
