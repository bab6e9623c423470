import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { releaseMemory } from './garbage.ts';

test('released memory leaves a small young generation, however much it had grown', () => {
  let survivors: string[] = [];
  for (let i = 0; i < 2_000_000; i++) {
    if (i % 100_000 === 0) survivors = [];
    survivors.push(`text ${i}`);
  }
  const grown = youngGenerationBytes();
  assert.ok(grown >= 8 * 1024 * 1024, String(grown));
  releaseMemory();
  assert.ok(youngGenerationBytes() < grown / 2, String(youngGenerationBytes()));
});

function youngGenerationBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')!.space_size;
}
