import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { Automaton } from './automaton.ts';
import { Filter } from './filter.ts';
import { GatheredLetters } from './gathered-letters.ts';
import { compilePatterns } from './patterns.ts';
import { Scanner } from './scanner.ts';

const SECRET = 'kjhgfdsapoiuytrewqmnbvcxz';

/** Gathers the runs of a text, and decides after every chunk of so many bytes. */
function gather(text: string, chunk: number) {
  const { folded } = compilePatterns([new Secret('s', SECRET)]);
  const patterns = folded.toSorted().map((form) => Buffer.from(form, 'latin1'));
  const [filter, automaton] = [new Filter(patterns), new Automaton(patterns)];
  const found: string[] = [];
  const gathered = new GatheredLetters(
    { add: (start, end) => found.push(text.slice(start, end)) },
    (sink) => new Scanner(filter, automaton, sink),
  );
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += chunk) {
    const piece = text.slice(from, from + chunk);
    for (const { index, 0: run } of piece.matchAll(/\w+/g)) {
      gathered.add(bytes, from + index, from + index + run.length, 0);
    }
    gathered.decide();
  }
  gathered.finish();
  return { found, looks: gathered.looks };
}

describe('gathered letters', () => {
  const onePerLine = `${[...SECRET].join('\n')}\n`;
  const rows: [string, string][] = [
    ['a secret with one letter a line, again and again', onePerLine.repeat(1600)],
    ['such a secret behind long lines', `${'q'.repeat(60)}\n${onePerLine}`.repeat(800)],
    ['no secret, one letter a line', 'q\n'.repeat(40_000)],
    ['the beginning of a secret, again and again', onePerLine.slice(0, -4).repeat(1600)],
  ];
  for (const [name, text] of rows) {
    it(`cost a bounded number of looks each, with ${name}`, () => {
      for (const chunk of [text.length, 1000, 1]) {
        const { found, looks } = gather(text, chunk);
        const expected = text.match(new RegExp([...SECRET].join('\n'), 'g')) ?? [];
        assert.deepEqual(found, expected);
        assert.ok(looks <= 4 * text.length, `${looks} looks with chunks of ${chunk}`);
      }
    });
  }
});
