import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayBefore, dayOf, isDay } from './day.ts';

test('a day is one of the calendar', () => {
  for (const day of ['2026-11-15', '2024-02-29']) assert.ok(isDay(day), day);
  const wrong = ['2026-02-30', '2026-13-01', '26-1-1', '', '../x', '2026-11-15/../../x', 'today'];
  for (const text of wrong) assert.ok(!isDay(text), text);
});

test('the day is that of the clock on the wall, not of Greenwich', () => {
  assert.equal(dayOf(new Date(2026, 0, 1, 0, 0)), '2026-01-01');
  assert.equal(dayOf(new Date(2026, 11, 31, 23, 59)), '2026-12-31');
});

test('the day before, over months, leap days and years', () => {
  assert.equal(dayBefore('2026-11-15'), '2026-11-14');
  assert.equal(dayBefore('2024-03-01'), '2024-02-29');
  assert.equal(dayBefore('2026-01-01'), '2025-12-31');
});
