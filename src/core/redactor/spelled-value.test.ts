import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns } from './patterns.ts';
import { TextScanner } from './text-scanner.ts';

/** How many bytes verification reads in a text of so many copies, which comes in chunks. */
function stepsOn(secrets: string | string[], unit: string, size: number, chunk = size): number {
  const values = [secrets].flat().map((value, index) => new Secret(`s${index}`, value));
  const scanner = new TextScanner({ add: () => {} }, new Matcher(compilePatterns(values)));
  const bytes = Buffer.from(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
  for (let at = 0; at < size; at += chunk) {
    scanner.read(bytes, at, Math.min(at + chunk, size), 0, at + chunk >= size);
  }
  return scanner.steps;
}

describe('the verification of signs is linear', () => {
  const rows: [string, string, string][] = [
    ['a long anchor of one letter', `${'a'.repeat(4000)}-b`, 'a'],
    ['a long periodic anchor', `${'ab'.repeat(2000)}-b`, 'ab'],
    ['an anchor that occurs twice', 'abcd-abcd-x', 'abcd-'],
    ['a pair behind its first', "'%a'%'%a'%<aa", "'%a'%'%a'%<"],
    ['signs only', '!@#$%^*()_+{}|:<>?', '!@#$%^*()_+{}|:<>'],
    ['anchors inside backslashes', '\\-\\-\\-abcd-x', `${'\\'.repeat(30)}abcd`],
    ['backslashes, each escaped in another way', '\\\\\\abcd-x', '\\x5c&#92;\\u005c\\\\abcd'],
    ['many backslashes', `${'\\'.repeat(8)}abcd-x`, '\\x5c&#92;\\u005c\\\\abcd'],
    ['ampersands', '&%&abcd-x', '&amp;%25&#38;&amp;amp;abcd'],
    ['a long row of short runs', 'k1-'.repeat(1300), 'k1-'],
    [
      'rows of backslashes before the anchor',
      `${'\\\\\\-'.repeat(200)}abcdefg-z`,
      `${'\\\\\\-'.repeat(200)}abcdefg-z`.slice(1).replace(/[^a-z]/g, '\\\\\\\\$&'),
    ],
    [
      'many signs before the anchor',
      `${"'-".repeat(500)}abcdefg`,
      `${"\\'&#45;".repeat(499)}abcdefg`,
    ],
  ];
  for (const [name, secret, unit] of rows) {
    it(`in the text, with ${name}, also in chunks`, () => {
      const size = 32_768;
      const once = stepsOn(secret, unit, size);
      const twice = stepsOn(secret, unit, 2 * size);
      for (const chunk of [1000, 7]) {
        assert.ok(stepsOn(secret, unit, size, chunk) <= once, `chunks of ${chunk}`);
      }
      assert.ok(once <= 128 * size, `${once} steps in ${size} bytes`);
      assert.ok(twice <= 2.2 * once + 4096, `${once} steps, and ${twice} in twice the text`);
    });
  }

  for (const [name, secret, unit] of [
    ['behind the anchor', `z-abcdefg${'\\'.repeat(600)}-`, `abcdefg${'\\'.repeat(1800)}`],
    ['before the anchor', `-${'\\'.repeat(600)}abcdefg-z`, `${'\\'.repeat(1800)}abcdefg-z`],
  ] as const) {
    it(`in a secret of 600 backslashes ${name}: a place of the text is read once, not for each`, () => {
      const steps = stepsOn(secret, unit, 65_536);
      assert.ok(steps <= 12 * 65_536, `${steps / 65_536} steps a byte`);
    });
  }

  it('in the number of secrets that have a long part in common', () => {
    const common = 'app_user/db.internal.example.com:5432/prod-0123456789abcdef';
    const own = (index: number): string => `pw${7919 * (index + 11)}`;
    const values = Array.from({ length: 50 }, (_, index) => `x-${own(index)}@${common}`);
    const unit = `pw0@${common}`;
    assert.equal(stepsOn(values, unit, 65_536), 0);
    const alone = stepsOn(values[0]!, values[0]!.slice(1), 65_536);
    const together = stepsOn(values, values[0]!.slice(1), 65_536);
    assert.ok(together <= 1.5 * alone, `${alone} steps, and ${together} with 49 others`);
  });

  it('in the secret', () => {
    const steps = [250, 500, 1000].map((signs) =>
      stepsOn(`${"'-".repeat(signs)}abcdefg`, `${"\\'&#45;".repeat(signs - 1)}abcdefg`, 65_536),
    );
    assert.ok(steps[2]! <= 2 * steps[0]! + 4096, steps.join());
  });
});
