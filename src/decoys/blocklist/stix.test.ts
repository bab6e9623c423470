import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Source, stixBundle } from './stix.ts';

interface Bundle {
  readonly objects: readonly Readonly<Record<string, string>>[];
}

const FIRST_MS = Date.UTC(2026, 10, 15);

function bundle(changes: Partial<Source>): Bundle {
  const source = { address: '203.0.113.7', family: 4, hits: 1, tags: new Set(['aws-credentials']) };
  const times = { firstMs: FIRST_MS, lastMs: FIRST_MS };
  return stixBundle([{ ...source, ...times, ...changes } as Source], 3_600_000) as Bundle;
}

test('an object of a later export differs from the earlier one in what it says, never in its birth', () => {
  const HOUR_MS = 3_600_000;
  const earlier = bundle({});
  const later = bundle({ firstMs: FIRST_MS + HOUR_MS, lastMs: FIRST_MS + 2 * HOUR_MS });
  for (const [index, { id, created }] of earlier.objects.entries()) {
    const object = later.objects[index]!;
    assert.deepEqual([object.id, object.created], [id, created]);
    assert.ok(Date.parse(object.created!) <= Date.parse(object.modified!));
  }
  const indicator = later.objects.find(({ type }) => type === 'indicator')!;
  assert.equal(indicator.valid_from, '2026-11-15T01:00:00.000Z');
  assert.equal(indicator.modified, '2026-11-15T02:00:00.000Z');
  assert.equal(indicator.valid_until, '2026-11-15T03:00:00.000Z');
});
