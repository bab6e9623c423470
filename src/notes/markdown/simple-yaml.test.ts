import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { generateVault } from '../../../test/support/notes/vault-generator.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { readSimpleYaml } from './simple-yaml.ts';

/** Pieces of YAML, simple ones and those that only look so. */
const keys = [
  'tags',
  'title',
  'a-b',
  'x_1',
  'constructor',
  'toString',
  '__proto__',
  'null',
  'é',
  '1',
];
const values = [
  ...['', 'word', 'two words', "it's (so) a/b.c+d-e", 'é 東京', 'Null', 'true', 'no', '~', '.inf'],
  ...['0', '7', '007', '-3', '1.5', '1e3', '0x1f', '999999999999999', '9999999999999999'],
  ...[
    '2026-01-02',
    '2026-01-02T10:00',
    'a: b',
    'a:b',
    'a:',
    'a#b',
    'a #b',
    '#b',
    '"q"',
    "'q'",
    '- a',
    '| x',
  ],
  ...[
    '"a\\tb"',
    '"a" b',
    '"a',
    "'a''b'",
    "'a\\b'",
    '" a "',
    '["a, b"]',
    "[a's]",
    '[a b"]',
    '"a": b',
  ],
  ...[
    'a, b',
    'a]',
    'a}',
    'a & *b',
    'a\\n',
    'a|b',
    'a >',
    'a\u0301',
    '"a\u0085b"',
    '"a\u00a0b"',
    '"é"',
  ],
  ...['[]', '[ ]', '[a]', '[a, b c , 3]', '[a,]', '[,a]', '[a', 'a]', '[[a]]', '[a: b]', '[null]'],
  ...['{a: b}', '&x a', '*x', '!t a', '%a', '@a', '`a', '>', '?', '? a', ':', '---', '...', '<<'],
  ...[
    'a\u00a0b',
    '\u00a0',
    'a\u2028b',
    'a\u0085b',
    'a\ufeff',
    '\ud83d\ude00',
    '\u0301a',
    'a\u0301',
  ],
];
const spaces = fc.constantFrom('', '', ' ', '  ', '\t');
const indent = fc.constantFrom('', '  ', '  ', '    ');
const plainKey = fc.constantFrom('tags', 'title', 'a-b', 'x_1', 'constructor', 'other');
const plain = fc.constantFrom(
  ...['word', 'two words', 'é 東京', '7', '2026-01-02', '[a, b]', '', 'https://a.example/?q=1#top'],
  ...['a, b', 'what?', '"a: b #c"', '\'a: "b"\'', '["a", b]', 'x – “y”', "''", 'true', 'false'],
);
const key = fc.constantFrom(...keys);
const value = fc.oneof(plain, fc.constantFrom(...values));

const items = fc
  .tuple(plainKey, indent, fc.array(plain, { maxLength: 3 }))
  .map(([key, indent, values]) => [`${key}:`, ...values.map((value) => `${indent}- ${value}`)]);
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(plainKey, plain).map(([key, value]) => [`${key}: ${value}`]) },
  { weight: 4, arbitrary: items },
  { weight: 1, arbitrary: fc.tuple(key, value, spaces).map(([k, v, s]) => [`${k}: ${v}${s}`]) },
  { weight: 1, arbitrary: fc.tuple(indent, value, spaces).map(([i, v, s]) => [`${i}- ${v}${s}`]) },
  { weight: 1, arbitrary: fc.tuple(indent, key, value).map(([i, k, v]) => [`${i}${k}:${v}`]) },
  { weight: 1, arbitrary: fc.tuple(spaces, value).map(([i, v]) => [`${i}${v}`]) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '  ').map((blank) => [blank]) },
);
const yaml = fc
  .tuple(fc.array(entry, { maxLength: 4 }), fc.constantFrom('\n', '\n', '\n', '\r\n'), fc.boolean())
  .map(([entries, eol, ends]) => entries.flat().join(eol) + (ends ? eol : ''));

function byPackage(text: string) {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  assert.deepEqual(document.errors, []);
  assert.ok(document.contents === null || isMap(document.contents));
  const places = (document.contents?.items ?? []).map(({ key, value }) => {
    const items: unknown[] = isSeq(value) ? value.items : [value];
    const ranges = items.flatMap((item) =>
      isScalar(item) && item.value !== null ? [item.range!.slice(0, 2)] : [],
    );
    return [String(key), { isList: isSeq(value), ranges }];
  });
  return { data: document.toJS() ?? {}, places };
}

function bySimple(text: string) {
  const simple = readSimpleYaml(text);
  if (!simple) return undefined;
  const places = [...simple.places].map(([key, { isList, ranges }]) => [key, { isList, ranges }]);
  return { data: simple.data, places };
}

describe('simple frontmatter', () => {
  test('whatever is read without the YAML package is what the package reads', () => {
    let long = 0;
    fc.assert(
      fc.property(yaml, (text) => {
        const simple = bySimple(text);
        if (simple) assert.deepEqual(simple, byPackage(text));
        if (simple && text.split('\n').length > 3) long++;
      }),
      { numRuns: propertyRuns(20_000) },
    );
    assert.ok(long > propertyRuns(500), `only ${long} texts of several lines were simple`);
  });

  test('each key with each value alone is what the package reads, or is left to it', () => {
    for (const text of keys.flatMap((key) => values.map((value) => `${key}: ${value}\n`))) {
      const simple = bySimple(text);
      if (simple) assert.deepEqual(simple, byPackage(text), text);
    }
  });

  test('the usual frontmatter is read without the package', () => {
    const usual =
      'status: active\nrating: 2\ncreated: 2026-01-02\ntags: [a/b, c]\naliases:\n  - One two\n';
    assert.deepEqual(readSimpleYaml(usual)?.data, {
      status: 'active',
      rating: 2,
      created: '2026-01-02',
      tags: ['a/b', 'c'],
      aliases: ['One two'],
    });
    const fronts = [...generateVault({ notes: 500 })].flatMap(({ text }) => {
      const inner = /^---\n(.*?)^---$/ms.exec(String(text))?.[1];
      return inner === undefined ? [] : [inner];
    });
    const simple = fronts.filter((text) => readSimpleYaml(text));
    assert.ok(simple.length > fronts.length * 0.8, `${simple.length} of ${fronts.length}`);
  });
});
