import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { relatedNotes } from './related-notes.ts';

const { sql } = memoryIndex({
  'tower.md': '# 塔\n\n昨日、東京タワーに行きました。観光客に人気。\n',
  'food.md': '# 料理\n\n寿司を食べました。\n',
  'school.md': '# 학교\n\n도서관에서 공부했다\n',
  'garden.md': '# Garden\n\nTomatoes grow in the greenhouse.\n',
});

const texts: [text: string, related: string[]][] = [
  ['東京タワーは美しい建物です。', ['tower.md']],
  ['寿司とわさび', ['food.md']],
  ['어제 도서관에 갔다', ['school.md']],
  ['how the greenhouse is built', ['garden.md']],
  ['これはそれです', []],
];

for (const [text, related] of texts) {
  test(`notes near ${text}: ${related.join(', ') || 'none'}`, () => {
    assert.deepEqual(
      relatedNotes(sql, { text }).map(({ path }) => path),
      related,
    );
  });
}
