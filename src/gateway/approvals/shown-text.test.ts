import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { indentJson } from './indent-json.ts';
import { visibleText } from './visible-text.ts';

describe('a text that a person approves', () => {
  for (const [what, text, shown] of [
    ['a right-to-left override', 'a\u202eb', 'a<mark>\\u202e</mark>b'],
    ['an isolate', '\u2066', '<mark>\\u2066</mark>'],
    ['a zero-width space', 'a\u200bb', 'a<mark>\\u200b</mark>b'],
    ['a byte order mark', '\ufeff{}', '<mark>\\ufeff</mark>{}'],
    ['a carriage return', 'a\rb', 'a<mark>\\u000d</mark>b'],
    ['a tab, a NUL and DEL', '\t\0\x7f', '<mark>\\u0009\\u0000\\u007f</mark>'],
    ['a no-break space', 'a\u00a0b', 'a<mark>\\u00a0</mark>b'],
    ['a Hangul filler', '\u3164', '<mark>\\u3164</mark>'],
    ['a tag character', '\u{e0041}', '<mark>\\udb40\\udc41</mark>'],
    ['a line separator', '\u2028', '<mark>\\u2028</mark>'],
    ['half of a surrogate pair', '\ud800', '<mark>\\ud800</mark>'],
    ['a variation selector', 'a\ufe0f', 'a<mark>\\ufe0f</mark>'],
    ['markup', '<script>"&\'', '&#60;script&#62;&#34;&#38;&#39;'],
    ['plain text', 'a b\nc Ä 漢字 🙂', 'a b\nc Ä 漢字 🙂'],
  ] as const) {
    test(`shows ${what}`, () => assert.equal(visibleText(text).text, `<bdi>${shown}</bdi>`));
  }
});

test('a run of hidden characters is one mark, however long', () => {
  const { text } = visibleText('\0'.repeat(1_048_576));
  assert.equal(text.match(/<mark>/g)?.length, 1);
  assert.equal(text.length, '<bdi><mark></mark></bdi>'.length + 6 * 1_048_576);
});

describe('JSON is indented', () => {
  for (const [text, shown] of [
    ['{}', '{}'],
    ['[]', '[]'],
    ['{"a":{}}', '{\n  "a": {}\n}'],
    [
      '{"a":1,"a":[2,{"b":"}\\""}]}',
      '{\n  "a": 1,\n  "a": [\n    2,\n    {\n      "b": "}\\""\n    }\n  ]\n}',
    ],
    ['{"n":1.00000000000000000001}', '{\n  "n": 1.00000000000000000001\n}'],
  ] as const) {
    test(text, () => assert.equal(indentJson(text), shown));
  }

  test('unless that takes several times the room', () => {
    assert.equal(indentJson('['.repeat(1_000_000)), undefined);
    assert.equal(indentJson(','.repeat(1_000_000)), undefined);
  });

  test('without losing, adding or moving anything, whatever the text', () => {
    const bare = (text: string) => text.replace(/\s/g, '');
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', ' ', '\n');
    fc.assert(
      fc.property(
        fc.string({ unit: pieces }),
        (text) => bare(indentJson(text) ?? '') === bare(text),
      ),
    );
  });
});
