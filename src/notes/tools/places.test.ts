import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dailyPath, isDay, today } from './places.ts';

test('a day is one of the calendar, written in full', () => {
  for (const day of ['2026-11-15', '2024-02-29', '0001-01-01']) assert.ok(isDay(day), day);
  const others = ['2026-02-29', '2026-13-01', '2026-1-1', '26-01-01', 'today', '2026-11-15\n', ''];
  for (const day of others) assert.ok(!isDay(day), JSON.stringify(day));
});

test('today is the day where the server runs', () => {
  assert.equal(today(new Date(2026, 0, 5, 23, 59)), '2026-01-05');
  assert.equal(today(new Date(2026, 0, 6, 0, 0)), '2026-01-06');
  assert.equal(dailyPath('2026-01-05'), 'daily/2026-01-05.md');
});
