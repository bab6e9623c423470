import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { releaseMemory } from './garbage.ts';
import { boundYoungGeneration, youngGenerationBytes } from './young-generation.ts';

const MIB = 1024 * 1024;

test('the young generation grows to its bound and no further, also after it has shrunk', async () => {
  boundYoungGeneration();
  for (let round = 0; round < 2; round++) {
    releaseMemory();
    assert.ok(youngGenerationBytes() < 8 * MIB, String(youngGenerationBytes()));
    // Every turn leaves enough behind that V8 would like to grow; it is looked at between turns.
    let survivors: string[][] = [];
    for (let turn = 0; turn < 2_000; turn++) {
      survivors.push(Array.from({ length: 1_000 }, (_, i) => `text ${turn} ${i}`));
      if (turn % 200 === 0) survivors = [];
      await setImmediate();
    }
    const grown = youngGenerationBytes();
    assert.ok(grown >= 32 * MIB && grown <= 64 * MIB, String(grown));
  }
});
