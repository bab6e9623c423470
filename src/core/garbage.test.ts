import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passedThrough } from './garbage.ts';

const PIECE_BYTES = 64 * 1024;

test('the buffers of a body that streams through are freed as it goes on', () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let bytes = 0; bytes < 64 * 1024 * 1024; bytes += PIECE_BYTES) {
    passedThrough(new Uint8Array(PIECE_BYTES).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  assert.ok(most < 8 * 1024 * 1024, `${most} bytes`);
});
