import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Durations } from './durations.ts';

test('there is no percentile of nothing', () => {
  assert.equal(new Durations().percentile(0.5), undefined);
});

test('small ones are exact', () => {
  const durations = new Durations();
  for (let ms = 1; ms <= 100; ms++) durations.add(ms);
  assert.deepEqual(
    [0, 0.5, 0.95, 1].map((share) => durations.percentile(share)),
    [1, 50, 95, 100],
  );
});

test('large ones are right within a percent, whatever their order', () => {
  const durations = new Durations();
  const all = Array.from({ length: 5_000 }, (_, index) => ((index * 7_919) % 60_000) + 1);
  for (const ms of all) durations.add(ms);
  const sorted = all.toSorted((a, b) => a - b);
  for (const share of [0.1, 0.5, 0.95, 0.99]) {
    const exact = sorted[Math.ceil(sorted.length * share) - 1]!;
    const told = durations.percentile(share)!;
    assert.ok(Math.abs(told - exact) <= exact * 0.01, `${share}: ${told}, not ${exact}`);
  }
});

test('whatever a log claims fits into bounded memory', () => {
  const durations = new Durations();
  for (const ms of [-5, 0, 0.4, 1e300, Number.MAX_SAFE_INTEGER]) durations.add(ms);
  assert.equal(durations.percentile(0.5), 0);
  assert.equal(durations.percentile(1), 2 ** 26);
  assert.equal(durations.total, 5);
});

test('the distribution counts each once', () => {
  const durations = new Durations();
  for (const ms of [0, 1, 2, 10, 11, 99, 5_000]) durations.add(ms);
  assert.deepEqual(durations.distribution([1, 10, 100]), [2, 2, 2, 1]);
});
