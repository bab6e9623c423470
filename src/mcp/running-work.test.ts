import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningWork } from './running-work.ts';

test('the wait ends with the last piece of work, and at once where there is none', async () => {
  const work = new RunningWork();
  await work.ended(60_000);
  work.begin();
  work.begin();
  let isOver = false;
  const ended = work.ended(60_000).then(() => {
    isOver = true;
  });
  work.end();
  await Promise.resolve();
  assert.equal(isOver, false);
  work.end();
  await ended;
});

test('work that does not end is given up', async () => {
  const work = new RunningWork();
  work.begin();
  await work.ended(1);
});
