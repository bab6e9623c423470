import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildQueue } from './build-queue.ts';

/** Builds that end when they are told to, and how many of them run at once. */
function counted() {
  const queue = new BuildQueue<number>();
  const ends: ((error?: Error) => void)[] = [];
  const state = { running: 0, most: 0, begun: 0 };
  const run = () =>
    queue.run(async () => {
      const number = ++state.begun;
      state.most = Math.max(state.most, ++state.running);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      ends.push((error) => (error ? reject(error) : resolve()));
      await promise.finally(() => state.running--);
      return number;
    });
  return { queue, run, state, end: (error?: Error) => ends.shift()!(error) };
}

async function untilBegun(state: { begun: number }, count: number): Promise<void> {
  while (state.begun < count) await new Promise(setImmediate);
}

test('calls during a build share the one that follows it', async () => {
  const { run, state, end } = counted();
  const [first, second, third] = [run(), run(), run()];
  assert.equal(state.begun, 1);
  end();
  assert.equal(await first, 1);
  await untilBegun(state, 2);
  end();
  assert.deepEqual(await Promise.all([second, third]), [2, 2]);
  assert.equal(state.most, 1);
});

test('whoever asks anew when a build has ended never makes two run at once', async () => {
  const { queue, run, state, end } = counted();
  const again = run().then(run);
  const followed = run();
  end();
  await untilBegun(state, 2);
  assert.equal(state.most, 1);
  end();
  assert.deepEqual(await Promise.all([again, followed]), [2, 2]);
  await queue.settled();
  assert.equal(queue.isRunning, false);
});

test('a build that fails does not stop the one that follows', async () => {
  const { run, state, end } = counted();
  const [first, second] = [run(), run()];
  end(new Error('the disk is full'));
  await assert.rejects(first, /the disk is full/);
  await untilBegun(state, 2);
  end();
  assert.equal(await second, 2);
});
