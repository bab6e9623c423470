import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPTIONAL_MARKS } from '../store/folded-text.ts';
import { searchablePhrase, searchableText } from './searchable-text.ts';

const texts: [text: string, searchable: string][] = [
  ['plain text', 'plain text'],
  ['東京都', '東京 京都 都'],
  ['行く', '行く く'],
  ['猫', '猫'],
  ['C++ and C#', 'C \ue000 and C \ue001'],
  ['a #tag, a+b, # heading', 'a #tag, a+b, # heading'],
  ['ＡＢＣ', 'ABC'],
  ['cafe\u0301', 'café'],
  ['x\u0332y', 'xy'],
  ['مُحَمَّد', 'محمد'],
  ['हिन्दी', 'हिन्दी'],
];

const phrases: [typed: string, phrase: string | undefined, prefix: boolean][] = [
  ['foo-bar', 'foo bar', false],
  ["it's", 'it s', false],
  ['it’s', 'it s', false],
  ['C++', 'C \ue000', false],
  ['東京', '東京', false],
  ['東京都 foo', '東京 京都 都 foo', false],
  ['猫', '猫', true],
  ['a猫', 'a 猫', true],
  ['"*^:()', undefined, false],
  ['\0', undefined, false],
  ['\ud800', undefined, false],
];

describe('searchable text', () => {
  for (const [text, expected] of texts) {
    test(`${JSON.stringify(text)} is indexed as ${JSON.stringify(expected)}`, () => {
      assert.equal(searchableText(text).replace(/ +/g, ' ').trim(), expected);
    });
  }

  test('every letter before the unspaced scripts is indexed in its NFKC form, without marks that may be left out', () => {
    for (let code = 0x20; code < 0x1100; code++) {
      const text = `a${String.fromCharCode(code)}b`;
      const plain = text.normalize('NFKC').replace(OPTIONAL_MARKS, '');
      assert.equal(searchableText(text), plain, text);
    }
  });

  for (const [typed, phrase, prefix] of phrases) {
    test(`${JSON.stringify(typed)} is looked for as ${JSON.stringify(phrase)}`, () => {
      assert.deepEqual(
        searchablePhrase(typed),
        phrase === undefined ? undefined : { text: phrase, prefix },
      );
    });
  }
});
