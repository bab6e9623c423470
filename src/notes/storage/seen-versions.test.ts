import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenVersions } from './seen-versions.ts';

test('of a version that is a part of something larger only the part is kept', () => {
  const seen = new SeenVersions(() => '');
  const segment = Buffer.alloc(1024 * 1024, 'n');
  seen.add('a', segment.subarray(10, 20));
  assert.equal(seen.get('a')?.toString(), 'nnnnnnnnnn');
  assert.ok((seen.get('a')?.buffer.byteLength ?? 0) <= 64 * 1024);
});
