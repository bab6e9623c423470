import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullBucket, isFull, parseRate, returnTo, takeFrom } from './rate.ts';

test('a rate is a count per second, minute or hour', () => {
  assert.deepEqual(parseRate('10/m'), { count: 10, periodMs: 60_000, text: '10/m' });
  assert.deepEqual(parseRate('1/s'), { count: 1, periodMs: 1_000, text: '1/s' });
  for (const bad of ['', '10', '0/m', '-1/s', '10/d', '10 / m', '1.5/s', '10/ms', '1e3/s']) {
    assert.equal(parseRate(bad), undefined, bad);
  }
});

test('a bucket gives its count at once, then refills continuously', () => {
  const rate = parseRate('2/s')!;
  const bucket = fullBucket(rate, 0);
  assert.deepEqual(takeFrom(bucket, rate, 0), { ok: true });
  assert.deepEqual(takeFrom(bucket, rate, 0), { ok: true });
  assert.deepEqual(takeFrom(bucket, rate, 0), { ok: false, retryAfterMs: 500 });
  assert.deepEqual(takeFrom(bucket, rate, 400), { ok: false, retryAfterMs: 100 });
  assert.deepEqual(takeFrom(bucket, rate, 500), { ok: true });
});

test('waiting as long as the refusal says is enough', () => {
  const rate = parseRate('7/m')!;
  const bucket = fullBucket(rate, 0);
  for (let i = 0; i < 7; i++) takeFrom(bucket, rate, 0);
  const refused = takeFrom(bucket, rate, 0);
  assert.equal(refused.ok, false);
  if (!refused.ok) assert.equal(takeFrom(bucket, rate, refused.retryAfterMs).ok, true);
});

test('a bucket never holds more than its count, and a clock that steps back takes nothing', () => {
  const rate = parseRate('1/s')!;
  const bucket = fullBucket(rate, 1_000);
  returnTo(bucket, rate, 1_000);
  assert.equal(takeFrom(bucket, rate, 0).ok, true);
  assert.equal(takeFrom(bucket, rate, 500).ok, false);
  assert.equal(isFull(bucket, rate, 1_500), false);
  assert.equal(isFull(bucket, rate, 2_000), true);
});
