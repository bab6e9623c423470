import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import * as common from '@zxcvbn-ts/language-common';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { guessBits, isEnumerable } from './guess-bits.ts';

describe('a value that a machine can enumerate is found', () => {
  for (const value of [
    ...['12345678', '48213957', '0000000000', '8005551234567', '2024-11-18', '18.11.2024'],
    ...['aaaaaaaaaaaa', 'abababababab', 'qwertyuiop', '1q2w3e4r5t', '1qaz2wsx', 'abcdefghij'],
    ...['password', 'Password1!', 'P@ssw0rd2024', 'summer2024', 'changeme', 'sunshine99'],
    ...['hunter2hunter2', 'DEMO_KEY', 'deadbeef', '00ff00ff', 'Alexandra89', 'trustno1'],
  ]) {
    test(value, () => assert.equal(isEnumerable(value), true));
  }
});

test('of the common passwords that the table of letters was not counted in, 97 of 100 are found', () => {
  const listed = common.dictionary['passwords-common'] as string[];
  const unseen = listed.filter((value, index) => index % 2 === 1 && value.length >= 8);
  const missed = unseen.filter((value) => !isEnumerable(value));
  assert.ok(unseen.length > 5_000);
  assert.ok(missed.length < unseen.length * 0.03, `${missed.length} of ${unseen.length}`);
});

const [LOWER, UPPER, DIGITS] = [
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  '0123456789',
];
const ALL = LOWER + UPPER + DIGITS;

/** As vendors make their keys. */
const KEYS: Record<string, (draw: (signs: string, count: number) => string) => string> = {
  GitHub: (draw) => `ghp_${draw(ALL, 36)}`,
  GitLab: (draw) => `glpat-${draw(`${ALL}-_`, 20)}`,
  Stripe: (draw) => `sk_live_${draw(ALL, 24)}`,
  OpenAI: (draw) => `sk-proj-${draw(`${ALL}-_`, 64)}`,
  Slack: (draw) => `xoxb-${draw(DIGITS, 12)}-${draw(DIGITS, 13)}-${draw(ALL, 24)}`,
  Google: (draw) => `AIza${draw(`${ALL}-_`, 35)}`,
  Telegram: (draw) => `${draw(DIGITS, 10)}:${draw(`${ALL}-_`, 35)}`,
  Twilio: (draw) => `SK${draw('0123456789abcdef', 32)}`,
  Pushover: (draw) => draw(LOWER + DIGITS, 30),
  'AWS key id': (draw) => `AKIA${draw(`${UPPER}234567`, 16)}`,
  'AWS secret': (draw) => draw(`${ALL}/+`, 40),
  'Alpha Vantage': (draw) => draw(UPPER + DIGITS, 16),
  OpenWeather: (draw) => draw('0123456789abcdef', 32),
  'a UUID': (draw) => [8, 4, 4, 4, 12].map((count) => draw('0123456789abcdef', count)).join('-'),
  'a TOTP seed': (draw) => draw(`${UPPER}234567`, 16),
  'an app password of Google': (draw) => draw(LOWER, 16),
};

describe('no key that a vendor drew at random is taken for one', () => {
  for (const [vendor, make] of Object.entries(KEYS)) {
    test(vendor, () => {
      for (let run = 0; run < propertyRuns(500); run++) {
        const key = make(drawerOf(`${vendor} ${run}`));
        assert.equal(isEnumerable(key), false, `${key}: ${guessBits(key)}`);
      }
    });
  }

  test('nor four random words', () => {
    assert.equal(isEnumerable('correct horse battery staple'), false);
  });
});

test('any text has an estimate, also an empty or a long one', () => {
  for (const value of ['', ' ', '-', 'ü', '😀'.repeat(8), '\0'.repeat(20), 'x'.repeat(16_384)]) {
    assert.ok(guessBits(value) >= 0, JSON.stringify(value.slice(0, 20)));
  }
  assert.equal(isEnumerable('ab'.repeat(8_192)), true);
  assert.equal(isEnumerable(`${'a'.repeat(200)}Kq7#vRzP2mXw9LtYbN4c`), false);
});

/** Signs that look random and are the same at every run. */
function drawerOf(seed: string): (signs: string, count: number) => string {
  let drawn = 0;
  return (signs, count) =>
    Array.from({ length: count }, () => {
      drawn += 1;
      const hash = createHash('sha256').update(`${seed} ${drawn}`).digest();
      return signs[hash.readUInt32BE(0) % signs.length];
    }).join('');
}
