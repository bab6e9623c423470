import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppliedChange } from '../changes/change-types.ts';
import { nextBatch } from './git-commit.ts';

const MIB = 1024 * 1024;

/** Of files that share one piece of memory, however large they are. */
const memory = Buffer.alloc(32 * MIB);
function change(...mebibytes: number[]): AppliedChange {
  const files = mebibytes.map((size, index) => ({
    path: `${index}.md` as never,
    after: memory.subarray(0, size * MIB),
  }));
  return { changeId: 'x', tool: 'test', files, gone: [] };
}

const ROWS: [string, AppliedChange[], number][] = [
  ['nothing', [], 0],
  ['many small ones', Array.from({ length: 300 }, () => change(0)), 200],
  ['large ones, as many as fit', [change(32), change(16, 16), change(1)], 2],
  ['one that is too large, by itself', [change(32, 32, 32), change(0)], 1],
  ['one before another that is too large', [change(1), change(32, 32, 32)], 1],
];
for (const [what, queue, taken] of ROWS) {
  test(`a batch is ${what}`, () => {
    assert.deepEqual(nextBatch(queue), queue.slice(0, taken));
  });
}
