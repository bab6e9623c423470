import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inZone } from '../../../test/support/notes/zone.ts';
import { readDay, readMoment, readSpan } from './moments.ts';

const now = new Date('2026-11-15T12:00:00Z');
const DAY_MS = 86_400_000;

test('spans and moments in all their spellings', () => {
  assert.equal(readSpan('2w'), 14 * DAY_MS);
  assert.equal(readSpan('1y'), 365 * DAY_MS);
  assert.equal(readMoment('7d', now), now.getTime() - 7 * DAY_MS);
  assert.equal(readMoment('2026-11-01T10:00+02:00', now), Date.UTC(2026, 10, 1, 8));
});

test('a bare day begins where the server runs, as a moment without a zone does', () => {
  inZone('Pacific/Kiritimati', () => {
    assert.equal(readMoment('2026-11-01', now), Date.UTC(2026, 9, 31, 10));
    assert.equal(readMoment('2026-11-01T10:00', now), Date.UTC(2026, 9, 31, 20));
    assert.equal(readMoment('2026-11-01T10:00Z', now), Date.UTC(2026, 10, 1, 10));
  });
});

test('today and yesterday are days of the server, of which a range ends with the whole day', () => {
  inZone('Pacific/Kiritimati', () => {
    assert.equal(readDay('today', now), '2026-11-16');
    assert.equal(readDay('yesterday', now), '2026-11-15');
    assert.equal(readMoment('yesterday', now), Date.UTC(2026, 10, 14, 10));
    assert.equal(readMoment('yesterday', now, 'end'), readMoment('today', now));
    assert.equal(readMoment('2026-11-14', now, 'end'), readMoment('2026-11-15', now));
    assert.equal(readMoment('7d', now, 'end'), readMoment('7d', now));
  });
});

test('anything else is refused', () => {
  for (const text of ['', '7', 'd', '7x', '1e9d', '999999d', 'tomorrow', '2026-02-30', '2026']) {
    assert.throws(() => readMoment(text, now), { code: 'invalid_arguments' }, text);
    assert.throws(() => readSpan(text), { code: 'invalid_arguments' }, text);
  }
});

test('a day that no calendar has is refused, and never becomes part of a path', () => {
  assert.equal(readDay('today', new Date(2026, 10, 15, 23, 59)), '2026-11-15');
  assert.equal(readDay('2024-02-29', now), '2024-02-29');
  for (const text of ['2026-02-30', '', 'Yesterday', '../x', '2026-11-15/../../x', 'Today']) {
    assert.throws(() => readDay(text, now), { code: 'invalid_arguments' }, text);
  }
});
