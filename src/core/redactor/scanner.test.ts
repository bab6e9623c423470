import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { Automaton } from './automaton.ts';
import { Filter } from './filter.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns } from './patterns.ts';
import { Scanner } from './scanner.ts';
import { TextScanner } from './text-scanner.ts';

function workOn(secrets: string[], text: string, chunk = text.length) {
  const { folded } = compilePatterns(secrets.map((value) => new Secret('s', value)));
  const patterns = folded.toSorted().map((form) => Buffer.from(form, 'latin1'));
  const automaton = new Automaton(patterns);
  let matches = 0;
  const scanner = new Scanner(new Filter(patterns), automaton, { add: () => matches++ });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) {
    scanner.read(bytes, at, Math.min(at + chunk, bytes.length), 0);
  }
  return { steps: scanner.steps, moves: automaton.moves, states: automaton.stateCount, matches };
}

describe('the work is linear in the text', () => {
  const SIZE = 200_000;
  const letters = (count: number): string => 'a'.repeat(count);
  const rows: [string, string[], string][] = [
    ['one letter', [letters(5000)], letters(SIZE)],
    ['one letter of many lengths', [8, 50, 500, 5000].map(letters), letters(SIZE)],
    ['one letter and then another', [`${letters(5000)}b`], letters(SIZE)],
    [
      'one letter after another',
      [`b${letters(5000)}`, letters(4000)],
      `b${letters(4999)}`.repeat(40),
    ],
    ['two letters', ['ab'.repeat(3000), `${'ab'.repeat(3000)}c`], 'ab'.repeat(SIZE / 2)],
    [
      'many with one long beginning',
      Array.from({ length: 100 }, (_, n) => `${letters(400)}${n + 100}`),
      `${letters(400)}!`.repeat(SIZE / 401),
    ],
    [
      'near misses',
      ['sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
      'sk_live_4eC39HqLyjWDarjtT1zdp7d#'.repeat(6000),
    ],
  ];
  for (const [name, secrets, text] of rows) {
    it(`with secrets of ${name}`, () => {
      for (const chunk of [text.length, 1000, 1]) {
        const { steps, moves, states } = workOn(secrets, text, chunk);
        // Short runs before the filter takes over again are read twice; nothing is thrice.
        assert.ok(steps <= 2 * text.length + 100, `${steps} steps with chunks of ${chunk}`);
        assert.ok(moves <= 2 * steps + 4 * states, `${moves} moves with chunks of ${chunk}`);
      }
    });
  }

  it('and most ordinary text is never read byte by byte', () => {
    const text = JSON.stringify({ id: 12, name: 'An ordinary thing', tags: ['x', 'y'] }).repeat(
      1000,
    );
    const { steps, matches } = workOn(
      ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'hunter2-hunter2'],
      text,
    );
    assert.equal(matches, 0);
    assert.ok(steps < text.length / 10, `${steps} steps in ${text.length} bytes`);
  });
});

describe('the memory of the automaton', () => {
  it('is given back after a text that reached every state', () => {
    const secrets = Array.from({ length: 30 }, (_, n) => new Secret('s', `token-${n}-`.repeat(16)));
    const patterns = compilePatterns(secrets);
    const matcher = new Matcher(patterns);
    const first = new TextScanner({ add: () => {} }, matcher);
    for (const form of patterns.folded) {
      first.read(Buffer.from(form, 'latin1'), 0, form.length, 0, true);
    }
    assert.ok(matcher.stateCount > 100_000);
    new TextScanner({ add: () => {} }, matcher);
    assert.ok(matcher.stateCount < 1000);
  });
});
