import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hours } from './hours.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 15);

test('nothing has no spans', () => assert.equal(new Hours().spans(10), undefined));

test('hours between are there and empty; each series has its own count', () => {
  const hours = new Hours(2);
  hours.add(START + 5);
  hours.add(START + HOUR_MS - 1, 1);
  hours.add(START + 2 * HOUR_MS);
  assert.deepEqual(hours.spans(10), {
    firstMs: START,
    hoursPerSpan: 1,
    counts: [
      [1, 1],
      [0, 0],
      [1, 0],
    ],
  });
});

test('many hours are drawn together, and none is lost', () => {
  const hours = new Hours();
  for (let hour = 0; hour < 100; hour++) hours.add(START + hour * HOUR_MS);
  const spans = hours.spans(30)!;
  assert.equal(spans.hoursPerSpan, 4);
  assert.deepEqual(spans.counts, new Array(25).fill([4]));
});

test('a hundred thousand hours fit into few counts, and none is lost', () => {
  const hours = new Hours();
  for (let hour = 0; hour < 100_000; hour++)
    hours.add(START + ((hour * 7_919) % 100_000) * HOUR_MS);
  const { counts, hoursPerSpan, firstMs } = hours.spans(100)!;
  assert.ok(counts.length <= 100);
  assert.equal(
    counts.reduce((sum, [count]) => sum + count!, 0),
    100_000,
  );
  assert.ok(hoursPerSpan >= 1_000 && firstMs <= START);
});
