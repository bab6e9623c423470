/** Words that occur in more sections than could be counted for each search. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { memoryIndex } from '../../../../test/support/notes/index-fixture.ts';
import { search } from './search.ts';
import type { SearchQuery } from './search-query.ts';

const NOTES = 10_500;
const OLD = 17;
const index = memoryIndex();

before(() => {
  for (let n = 0; n < NOTES; n++) index.put(pathOf(n), textOf(n));
  index.put('garden.md', 'Nothing but the name.\n');
  for (let n = 0; n < 20; n++) index.put(`late/${n}.md`, 'garden\n');
  index.put('long.md', '# Day\n\nbeet\n\n'.repeat(300));
});

function pathOf(n: number): string {
  return `n/${n}.md`;
}

/** All have a garden, two of them quinces: an old one many, and one of the newest a single one. */
function textOf(n: number): string {
  if (n === OLD) return 'garden quince quince quince\n';
  if (n === OLD + 1) return 'garden beet beet beet\n';
  return n === NOTES - 1 ? `garden quince ${'and other trees '.repeat(30)}\n` : 'garden\n';
}

const found = (query: SearchQuery) => search(index.sql, query).items.map(({ path }) => path);

describe('a word that occurs in every note', () => {
  test('is found in names first, then in the newest notes', () => {
    const [first, second, third] = found({ query: 'garden' });
    assert.deepEqual([first, second, third], ['garden.md', 'late/19.md', 'late/18.md']);
  });

  test('leaves the ranking to a word that says more', () => {
    const [first, second] = found({ query: 'garden quince' });
    assert.deepEqual([first, second], [pathOf(OLD), pathOf(NOTES - 1)]);
    assert.equal(found({ query: 'garden quince', mode: 'all' }).length, 2);
  });

  test('is no reason to hide a rare one where any word will do', () => {
    const [first, second] = found({ query: 'garden quince', mode: 'any' });
    assert.deepEqual(new Set([first, second]), new Set([pathOf(OLD), pathOf(NOTES - 1)]));
  });

  test('gives pages that follow one another', () => {
    const first = search(index.sql, { query: 'garden', limit: 7 });
    const second = search(index.sql, { query: 'garden', limit: 7, cursor: first.cursor! });
    const paths = [...first.items, ...second.items].map(({ path }) => path);
    assert.deepEqual(paths, found({ query: 'garden', limit: 14 }));
  });
});

test('a rare word that occurs in every section of one long note still ranks', () => {
  assert.ok(
    found({ query: 'garden beet' })
      .slice(0, 2)
      .includes(pathOf(OLD + 1)),
  );
  assert.deepEqual(found({ query: 'garden beet', mode: 'all' }), [pathOf(OLD + 1)]);
  assert.deepEqual(new Set(found({ query: 'beet' })), new Set([pathOf(OLD + 1), 'long.md']));
});
