import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSlices } from './in-slices.ts';

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('all steps are taken in their order, and others have their turn in between', async () => {
  const taken: number[] = [];
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  const steps = Array.from({ length: 1000 }, (_, at) => at);
  await inSlices(steps, (step) => {
    busyFor(0.1);
    taken.push(step);
  });
  isDone = true;
  assert.deepEqual(taken, steps);
  assert.ok(turns >= 3, `${turns} turns of others`);
});

test('a step that fails ends the work', async () => {
  const failing = inSlices([1, 2, 3], (step) => {
    if (step === 2) throw new Error('the second');
  });
  await assert.rejects(failing, /the second/);
});
