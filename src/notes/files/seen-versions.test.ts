import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeenVersions } from './seen-versions.ts';

test('of a version that is a part of something larger only the part is kept', () => {
  const seen = new SeenVersions(() => '');
  const segment = Buffer.alloc(1024 * 1024, 'n');
  seen.add('a', segment.subarray(10, 20));
  assert.equal(seen.get('a')?.toString(), 'nnnnnnnnnn');
  assert.equal(seen.get('a')?.buffer.byteLength, 10);
});

test('small versions take no more room together than large ones', () => {
  const seen = new SeenVersions(() => '');
  const buffers = new Set<ArrayBufferLike>();
  const hashes = Array.from({ length: 70_000 }, (_, n) => `hash ${n}`);
  for (const hash of hashes) seen.add(hash, Buffer.from(hash));
  const kept = hashes.filter((hash) => seen.get(hash) !== undefined);
  for (const hash of kept) buffers.add(seen.get(hash)!.buffer);
  const bytes = [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
  assert.equal(kept.at(-1), hashes.at(-1));
  assert.ok(kept.length > 50_000 && kept.length < 70_000, `${kept.length} versions`);
  assert.ok(bytes < 1024 * 1024, `${bytes} bytes`);
});
