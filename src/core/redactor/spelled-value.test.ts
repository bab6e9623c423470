import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns } from './patterns.ts';
import { TextScanner } from './text-scanner.ts';

/** How many bytes verification reads in a text of so many copies, or in chunks of it. */
function stepsOn(secret: string, unit: string, size: number): number {
  const matcher = new Matcher(compilePatterns([new Secret('s', secret)]));
  const scanner = new TextScanner({ add: () => {} }, matcher);
  const bytes = Buffer.from(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
  scanner.read(bytes, 0, bytes.length, 0, true);
  return scanner.steps;
}

describe('the verification of signs is linear', () => {
  const rows: [string, string, string][] = [
    ['a long anchor of one letter', `${'a'.repeat(4000)}-b`, 'a'],
    ['a long periodic anchor', `${'ab'.repeat(2000)}-b`, 'ab'],
    ['an anchor that occurs twice', 'abcd-abcd-x', 'abcd-'],
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
    it(`in the text, with ${name}`, () => {
      const size = 32_768;
      const once = stepsOn(secret, unit, size);
      const twice = stepsOn(secret, unit, 2 * size);
      assert.ok(once <= 128 * size, `${once} steps in ${size} bytes`);
      assert.ok(twice <= 2.2 * once + 4096, `${once} steps, and ${twice} in twice the text`);
    });
  }

  it('in the secret', () => {
    const steps = [250, 500, 1000].map((signs) =>
      stepsOn(`${"'-".repeat(signs)}abcdefg`, `${"\\'&#45;".repeat(signs - 1)}abcdefg`, 65_536),
    );
    assert.ok(steps[2]! <= 2 * steps[0]! + 4096, steps.join());
  });
});
