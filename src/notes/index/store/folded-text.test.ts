import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { foldText, foldWithPlaces } from './folded-text.ts';

const same: [what: string, one: string, other: string][] = [
  ['case', 'ΟΔΟΣ Straße İ', 'οδος straße i'],
  ['an accent', 'São Ångström', 'sao angstrom'],
  ['a composed and a decomposed letter', 'cafés', 'cafe\u0301s'],
  ['full-width letters', 'ＡＢＣ１', 'abc1'],
  ['half-width kana', 'ｶﾞﾗｽ', 'ガラス'],
  ['ligatures and units', 'ﬁle 10㎏', 'file 10kg'],
  ['a decomposed syllable of Korean', '한국'.normalize('NFD'), '한국'],
  ['decomposed kana', 'が'.normalize('NFD'), 'が'],
  ['Arabic with and without points', 'مُحَمَّد', 'محمد'],
  ['Hebrew with and without points', 'שָׁלוֹם', 'שלום'],
  ['an emoji in either presentation', '❤\ufe0f', '❤'],
];

const different: [what: string, one: string, other: string][] = [
  ['syllables of Korean', '한국', '학교'],
  ['voiced kana', 'が', 'か'],
  ['vowels of Hindi', 'की', 'का'],
  ['letters with a stroke of their own', 'ø', 'o'],
];

describe('folded text', () => {
  for (const [what, one, other] of same) {
    test(`does not distinguish: ${what}`, () => assert.equal(foldText(one), foldText(other)));
  }

  for (const [what, one, other] of different) {
    test(`distinguishes: ${what}`, () => assert.notEqual(foldText(one), foldText(other)));
  }

  test('a place in it is known in the original, behind letters of other lengths', () => {
    const text = '㎏ cafe\u0301s 한국'.normalize('NFD');
    const folded = foldWithPlaces(text);
    const original = (part: string) => folded.originOf(folded.text.indexOf(part));
    assert.equal(original('cafes'), text.indexOf('c'));
    assert.equal(original('s '), text.indexOf('s'));
    assert.equal(text.slice(original('국')), '국'.normalize('NFD'));
  });

  test('places rise from the beginning to the end, whatever the text', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.constantFrom(
        'a',
        '\u0301',
        'é',
        'ﬁ',
        '㎏',
        '\u1112',
        '\u1161',
        '\u11ab',
        'ﾞ',
        'ｶ',
        '\ufe0f',
      ),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const text = units.join('');
        const folded = foldWithPlaces(text);
        assert.equal(folded.text, foldText(text));
        const places = Array.from({ length: folded.text.length + 1 }, (_, at) =>
          folded.originOf(at),
        );
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        assert.equal(places.at(-1), text.length);
      }),
      { numRuns: 2000 },
    );
  });
});
