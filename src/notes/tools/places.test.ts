import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDay, today } from './places.ts';

test('a day is one of the calendar', () => {
  for (const day of ['2026-11-15', '2024-02-29']) assert.ok(isDay(day), day);
  const wrong = ['2026-02-30', '2026-13-01', '26-1-1', '', '../x', '2026-11-15/../../x', 'today'];
  for (const text of wrong) assert.ok(!isDay(text), text);
});

test('the day is that of the clock on the wall, not of Greenwich', () => {
  assert.equal(today(new Date(2026, 0, 1, 0, 0)), '2026-01-01');
  assert.equal(today(new Date(2026, 11, 31, 23, 59)), '2026-12-31');
});
