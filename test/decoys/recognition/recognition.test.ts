/** A small form of test/long/decoys-recognition.test.ts: what every tenth deployment shares is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRun } from '../../support/property-runs.ts';
import { learn, requests } from './learner.ts';
import { reasons } from './required.ts';

const found = learn(isLongRun ? 200 : 60, 0.1);

test('of many keys, no expression over one answer recognises a tenth, but what real software writes', () => {
  assert.deepEqual(
    found.filter((expression) => reasons(expression).length === 0),
    [],
  );
});

test('the learner finds what answers have in common', () => {
  const families = new Set(found.map(({ family }) => family));
  assert.deepEqual([...families].sort(), ['all lines', 'sentence', 'value']);
  assert.ok(requests().length > 300);
});
