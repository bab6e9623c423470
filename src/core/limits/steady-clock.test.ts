import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyClock } from './steady-clock.ts';

const HOUR_MS = 3_600_000;
const BEGIN = 1_793_000_000_000;

type Passing = readonly [steadyMs: number, wallMs: number];
const rows: [what: string, passings: readonly Passing[], elapsedMs: number][] = [
  ['runs as the wall clock does', [[1_000, 1_000]], 1_000],
  ['goes on when the wall clock is set back', [[1_000, 1_000 - HOUR_MS]], 1_000],
  [
    'goes on after that',
    [
      [1_000, 1_000 - HOUR_MS],
      [500, 500],
    ],
    1_500,
  ],
  ['counts the time for which the machine slept', [[1_000, 1_000 + HOUR_MS]], 1_000 + HOUR_MS],
  [
    'does not go back with a wall clock that was ahead',
    [
      [1_000, 1_000 + HOUR_MS],
      [1_000, 1_000 - HOUR_MS],
    ],
    2_000 + HOUR_MS,
  ],
  ['gives whole milliseconds', [[0.7, 0]], 0],
];
for (const [what, passings, elapsedMs] of rows) {
  test(`the clock ${what}`, () => {
    const clock = { steady: 12.5, wall: BEGIN };
    const now = steadyClock(
      () => clock.wall,
      () => clock.steady,
    );
    const began = now();
    assert.equal(began, BEGIN);
    for (const [steadyMs, wallMs] of passings) {
      clock.steady += steadyMs;
      clock.wall += wallMs;
      now();
    }
    assert.equal(now() - began, elapsedMs);
  });
}
