import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  compilePattern,
  couldMatchUnder,
  matchesPattern,
  type PathPattern,
} from './path-pattern.ts';

function compiled(text: string): PathPattern {
  const pattern = compilePattern(text);
  assert.ok(!('problem' in pattern), JSON.stringify(pattern));
  return pattern;
}

describe('a pattern', () => {
  const rows: [pattern: string, matches: string[], others: string[]][] = [
    ['/**', ['/', '/a', '/a/', '/a/b/c', '/.well-known'], []],
    ['/', ['/'], ['/a', '/a/']],
    [
      '/v1/**',
      ['/v1', '/v1/', '/v1/a', '/v1/a/b', '/v1/a/b/'],
      ['/', '/v10', '/v10/a', '/V1/a', '/a/v1', '/xv1/a', '/v'],
    ],
    ['/v1/**/', ['/v1', '/v1/a'], ['/v2']],
    [
      '/v1/*',
      ['/v1/a', '/v1/a/', '/v1/*', '/v1/a b', '/v1/é'],
      ['/v1', '/v1/', '/v1/a/b', '/v2/a', '/'],
    ],
    [
      '/v1/users',
      ['/v1/users', '/v1/users/'],
      ['/v1/Users', '/v1/user', '/v1/users/1', '/v1/userss', '/v1'],
    ],
    ['/v1/users/', ['/v1/users', '/v1/users/'], ['/v1/users/1']],
    ['/*/users', ['/v1/users', '/a/users'], ['/users', '/a/b/users']],
    [
      '/repos/*/issues/**',
      ['/repos/x/issues', '/repos/x/issues/1/c'],
      ['/repos/issues', '/repos/x/y/issues'],
    ],
    [
      '/**/edit',
      ['/edit', '/a/edit', '/a/b/edit', '/edit/edit'],
      ['/', '/edit/a', '/editx', '/a/xedit'],
    ],
    [
      '/a/**/b/**/c',
      ['/a/b/c', '/a/x/b/y/z/c', '/a/b/b/c', '/a/b/c/c'],
      ['/a/c', '/a/b', '/a/c/b', '/b/c'],
    ],
    ['/**/**', ['/', '/a', '/a/b'], []],
    ['/a?c', ['/abc', '/aéc', '/a😀c', '/a?c'], ['/ac', '/abbc', '/a/c', '/aBC']],
    ['/??', ['/ab', '/😀😀'], ['/a', '/😀', '/abc', '/a/b']],
    ['/*.json', ['/.json', '/a.json', '/a.json.json'], ['/a.jsonx', '/a/b.json', '/json']],
    ['/a*b*c', ['/abc', '/axbyc', '/abcabc', '/abbc'], ['/acb', '/ab', '/abcx', '/a/b/c']],
    ['/*?', ['/a', '/ab'], ['/']],
    ['/a.b', ['/a.b'], ['/axb']],
    ['/(a|b)+[c]$^', ['/(a|b)+[c]$^'], ['/a', '/ac']],
    ['/100%', ['/100%'], ['/100%25']],
  ];
  for (const [text, matches, others] of rows) {
    test(`${text} matches ${matches.join(' ')} and not ${others.join(' ')}`, () => {
      const pattern = compiled(text);
      for (const path of matches) assert.equal(matchesPattern(pattern, path), true, path);
      for (const path of others) assert.equal(matchesPattern(pattern, path), false, path);
    });
  }

  const problems: [text: string, problem: RegExp][] = [
    ['', /must begin with \//],
    ['v1/**', /must begin with \//],
    ['**', /must begin with \//],
    ['https://h/v1', /must begin with \//],
    ['/v1**', /complete segment/],
    ['/**v1', /complete segment/],
    ['/a/***', /complete segment/],
    ['/a/x**y/b', /complete segment/],
    ['/a//b', /which no path contains/],
    ['//', /which no path contains/],
    ['/a/./b', /which no path contains/],
    ['/a/../b', /which no path contains/],
    ['/a..b', /which no path contains/],
    ['/a\\b', /no accepted path contains/],
    ['/a\tb', /no accepted path contains/],
  ];
  for (const [text, problem] of problems) {
    test(`${JSON.stringify(text)} is a problem: ${problem.source}`, () => {
      const pattern = compilePattern(text);
      assert.ok('problem' in pattern);
      assert.match(pattern.problem, problem);
    });
  }
});

describe('a pattern under a base path', () => {
  const rows: [pattern: string, base: string, could: boolean][] = [
    ['/**', '/', true],
    ['/**', '/api/v1', true],
    ['/v1/**', '/', true],
    ['/v1/**', '/v1', true],
    ['/v1/**', '/v1/', true],
    ['/v1/**', '/api', false],
    ['/v1/users', '/v1', true],
    ['/v1/users', '/v1/users', true],
    ['/v1/users', '/v1/users/x', false],
    ['/v1/users', '/v2', false],
    ['/users/*', '/v1', false],
    ['/*/users', '/v1', true],
    ['/v?/*', '/v1', true],
    ['/v?/*', '/v10', false],
    ['/**/users', '/v1/things', true],
    ['/', '/v1', false],
    ['/', '/', true],
    ['/V1/**', '/v1', false],
  ];
  for (const [text, base, could] of rows) {
    test(`${text} ${could ? 'can' : 'cannot'} match under ${base}`, () => {
      assert.equal(couldMatchUnder(compiled(text), base), could);
    });
  }
});

/** Straight from the definition, by trying everything. */
function naive(pattern: string[], path: string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === '**') {
    return naive(rest, path) || (path.length > 0 && naive(pattern, path.slice(1)));
  }
  return path.length > 0 && naiveGlob(first, path[0] ?? '') && naive(rest, path.slice(1));
}

function naiveGlob(glob: string, name: string): boolean {
  if (glob === '') return name === '';
  if (glob[0] === '*')
    return naiveGlob(glob.slice(1), name) || (name !== '' && naiveGlob(glob, name.slice(1)));
  return (
    name !== '' &&
    (glob[0] === '?' || glob[0] === name[0]) &&
    naiveGlob(glob.slice(1), name.slice(1))
  );
}

const patternSegments = fc.array(
  fc.oneof(
    fc.constant('**'),
    fc.stringMatching(/^[ab*?]{1,5}$/).filter((text) => !text.includes('**')),
  ),
  { maxLength: 4 },
);
const pathSegments = fc.array(fc.stringMatching(/^[ab]{1,5}$/), { maxLength: 5 });

describe('for all patterns and paths', () => {
  test('the matcher agrees with the definition', () => {
    fc.assert(
      fc.property(patternSegments, pathSegments, (pattern, path) => {
        const actual = matchesPattern(compiled(`/${pattern.join('/')}`), `/${path.join('/')}`);
        assert.equal(actual, naive(pattern, path));
      }),
      { numRuns: 5000 },
    );
  });

  test('what matches could match under every base of it', () => {
    fc.assert(
      fc.property(patternSegments, pathSegments, fc.nat(5), (pattern, path, depth) => {
        const base = `/${path.slice(0, depth).join('/')}`;
        const full = `/${path.join('/')}`;
        const compiledPattern = compiled(`/${pattern.join('/')}`);
        if (matchesPattern(compiledPattern, full))
          assert.equal(couldMatchUnder(compiledPattern, base), true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a pattern and path made for each other', () => {
  /** Counts how often the matcher looks at a character of the pattern. */
  function looksFor(text: string, path: string): number {
    let looks = 0;
    const { segments } = compiled(text);
    const counted = segments.map((segment) =>
      segment === '**'
        ? segment
        : new Proxy(segment, {
            get: (target, key) => {
              looks += 1;
              return Reflect.get(target, key);
            },
          }),
    );
    assert.equal(matchesPattern({ text, segments: counted }, path), false);
    return looks;
  }

  const rows: [pattern: string, path: string][] = [
    [`/${'*a'.repeat(20)}*b`, `/${'a'.repeat(2000)}`],
    [`/${'**/*a*/'.repeat(20)}b`, '/xa'.repeat(500)],
    [`/${'?*'.repeat(20)}b`, `/${'a'.repeat(2000)}`],
  ];
  for (const [pattern, path] of rows) {
    test(`${pattern.slice(0, 24)}… costs at most the product of the lengths`, () => {
      assert.ok(looksFor(pattern, path) <= 4 * pattern.length * path.length);
    });
  }
});
