import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, parseLifetime } from './duration.ts';

test('a duration is a sum of amounts with Go units', () => {
  const rows: [string, number | undefined][] = [
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['12h', 43_200_000],
    ['1.5h', 5_400_000],
    ['1ms', 1],
    ['0s', undefined],
    ['', undefined],
    ['30', undefined],
    ['s', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5d', undefined],
    ['1e3s', undefined],
    ['596h', 596 * 3_600_000],
    ['597h', undefined],
    ['9999999h', undefined],
  ];
  for (const [text, ms] of rows) assert.equal(parseDuration(text), ms, text);
});

test('a lifetime may be longer than a timer, up to ten years', () => {
  const rows: [string, number | undefined][] = [
    ['12h', 43_200_000],
    ['720h', 720 * 3_600_000],
    ['87600h', 87_600 * 3_600_000],
    ['87601h', undefined],
    ['0s', undefined],
  ];
  for (const [text, ms] of rows) assert.equal(parseLifetime(text), ms, text);
});
