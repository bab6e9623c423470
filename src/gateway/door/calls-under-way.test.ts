import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CallsUnderWay, type CallUnderWay } from './calls-under-way.ts';

const KEY = { name: 'laptop', user: 'ann', digest: '', targets: undefined, expiresAt: undefined };
const AT_ONCE = 16;

test('the calls under way are those that were added and not removed, in whatever order', () => {
  const calls = new CallsUnderWay();
  const [one, two, three] = [0, 1, 2].map(() => calls.add(KEY, response())) as [
    CallUnderWay,
    CallUnderWay,
    CallUnderWay,
  ];
  const left = () => new Set(calls);
  assert.deepEqual(left(), new Set([one, two, three]));
  calls.remove(one);
  assert.deepEqual(left(), new Set([two, three]));
  calls.remove(three);
  assert.deepEqual(left(), new Set([two]));
  const four = calls.add(KEY, response());
  calls.remove(two);
  assert.deepEqual(left(), new Set([four]));
  calls.remove(four);
  assert.deepEqual(left(), new Set());
});

test('a call that has ended is freed by the next collection of the young generation', () => {
  const collect = exposedCollector();
  const calls = new CallsUnderWay();
  const open = Array.from({ length: AT_ONCE }, () => calls.add(KEY, response()));
  const turn = (times: number) => {
    for (let n = 0; n < times; n++) {
      calls.remove(open.shift()!);
      open.push(calls.add(KEY, response()));
      if (n % 1_000 === 0) collect({ type: 'minor' });
    }
    collect({ type: 'minor' });
    collect({ type: 'minor' });
  };
  turn(1_000);
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  turn(20_000);
  // A Map keeps all of them, 20 MB.
  assert.ok(process.memoryUsage().heapUsed - before < 4e6);
});

/** A kilobyte, as little as a response is. */
function response(): ServerResponse {
  return { payload: new Array(128).fill(0) } as unknown as ServerResponse;
}

function exposedCollector(): (options: { type: 'minor' | 'major' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
