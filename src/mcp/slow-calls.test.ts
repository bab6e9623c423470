import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { SlowCalls } from './slow-calls.ts';

function noticed() {
  const names: string[] = [];
  return { names, call: (name: string) => ({ becomeSlow: () => void names.push(name) }) };
}

test('calls that run on are noticed once, the oldest first; those that ended are not', async () => {
  const calls = new SlowCalls(20);
  const { names, call } = noticed();
  const watches = ['first', 'second', 'third', 'fourth'].map((name) => calls.begin(call(name)));
  watches[1]!.end();
  watches[3]!.end();
  while (names.length < 2) await wait(5);
  await wait(60);
  assert.deepEqual(names, ['first', 'third']);
});

test('ending a watch twice, or one that was noticed, leaves the others where they are', async () => {
  const calls = new SlowCalls(20);
  const { names, call } = noticed();
  const first = calls.begin(call('first'));
  while (names.length < 1) await wait(5);
  const second = calls.begin(call('second'));
  calls.begin(call('third'));
  first.end();
  second.end();
  second.end();
  while (names.length < 2) await wait(5);
  assert.deepEqual(names, ['first', 'third']);
});

test('a watch that ended holds no other: what is over can be forgotten by itself', () => {
  const calls = new SlowCalls(60_000);
  const { call } = noticed();
  const [first, second] = [calls.begin(call('first')), calls.begin(call('second'))];
  assert.equal(first.next, second);
  first.end();
  assert.equal(first.next, first);
});
