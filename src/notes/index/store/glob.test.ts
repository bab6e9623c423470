import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matchesGlob } from './glob.ts';

const rows: [glob: string, path: string, matches: boolean][] = [
  ['*.md', 'a.md', true],
  ['*.md', 'deep/down/a.md', true],
  ['a*.md', 'deep/ba.md', false],
  ['deep/*.md', 'deep/a.md', true],
  ['deep/*.md', 'deep/er/a.md', false],
  ['deep/**', 'deep/er/a.md', true],
  ['**/a.md', 'a.md', true],
  ['**/er/**/a.md', 'deep/er/x/y/a.md', true],
  ['deep/?.md', 'deep/ab.md', false],
  ['/deep/a.md', 'deep/a.md', true],
  ['[a].md', '[a].md', true],
  ['caf\u00e9.md', 'cafe\u0301.md', true],
];

describe('globs', () => {
  for (const [glob, path, matches] of rows) {
    test(`${glob} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(matchesGlob(glob, path), matches);
    });
  }

  test('a glob matches what the regular expression of the same meaning matches', () => {
    const letters = (extra: string) =>
      fc.array(fc.constantFrom(...`ab${extra}`), { maxLength: 6 }).map((all) => all.join(''));
    fc.assert(
      fc.property(letters('*?'), letters(''), (glob, name) => {
        const expression = glob.replaceAll('*', '.*').replaceAll('?', '.');
        assert.equal(matchesGlob(glob, name), new RegExp(`^${expression}$`).test(name));
      }),
    );
  });

  test('forty stars against a long name need no more steps than their product', () => {
    assert.equal(matchesGlob(`${'*a'.repeat(40)}b`, 'a'.repeat(255)), false);
  });
});
