import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSince } from './since.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const HOUR = 3_600_000;

const rows: [text: string, timeMs: number | undefined][] = [
  ['1h', NOW - HOUR],
  ['1h30m', NOW - 1.5 * HOUR],
  ['7d', NOW - 7 * 24 * HOUR],
  ['2026-11-15', Date.UTC(2026, 10, 15)],
  ['2026-11-15T10:00', Date.UTC(2026, 10, 15, 10)],
  ['2026-11-15 10:00', Date.UTC(2026, 10, 15, 10)],
  ['2026-11-15T10:00:30Z', Date.UTC(2026, 10, 15, 10, 0, 30)],
  ['2026-11-15T10:00+02:00', Date.UTC(2026, 10, 15, 8)],
  ['2026-13-15', undefined],
  ['yesterday', undefined],
  ['15', undefined],
  ['', undefined],
  ['-1h', undefined],
];
for (const [text, timeMs] of rows) {
  test(`since ${text || 'nothing'} is ${timeMs === undefined ? 'refused' : new Date(timeMs).toISOString()}`, () => {
    assert.equal(parseSince(text, NOW), timeMs);
  });
}
