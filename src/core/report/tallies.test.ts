import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tallies } from './tallies.ts';

test('names beyond the bound are counted together', () => {
  const tallies = new Tallies(2);
  for (const [index, name] of ['a', 'b', 'c', 'd', 'a', 'c'].entries()) {
    tallies.add(name, index, `with ${name}`);
  }
  assert.deepEqual(
    tallies.top(5).map(({ name, hits, firstMs, lastMs }) => [name, hits, firstMs, lastMs]),
    [
      ['(others)', 3, 2, 5],
      ['a', 2, 0, 4],
      ['b', 1, 1, 1],
    ],
  );
});

test('the most frequent come first, and few companions are kept', () => {
  const tallies = new Tallies();
  for (let index = 0; index < 20; index++) tallies.add('often', index, `agent ${index}`);
  tallies.add('once', 0, 'agent');
  const [first] = tallies.top(1);
  assert.equal(first?.name, 'often');
  assert.equal(first?.with.size, 8);
});
