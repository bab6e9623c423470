import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { AnswerRoom } from './answer-room.ts';

test('answers enter in order as room becomes free', async () => {
  const room = new AnswerRoom(10);
  const places = [6, 6, 3, 5].map((bytes) => room.place(bytes));
  for (const place of places) void place.enter();
  assert.deepEqual(inside(), [true, false, false, false]);
  places[0]!.leave();
  await places[1]!.enter();
  assert.deepEqual(inside(), [false, true, true, false]);
  places[1]!.leave();
  assert.deepEqual(inside(), [false, false, true, true]);

  function inside() {
    return places.map((place) => place.isInside);
  }
});

test('an answer larger than all the room gets it alone', async () => {
  const room = new AnswerRoom(10);
  const [huge, small] = [room.place(1_000), room.place(1)];
  await huge.enter();
  void small.enter();
  assert.equal(small.isInside, false);
  huge.leave();
  await small.enter();
});

test('one that gives up waiting holds nobody back, and leaving twice frees nothing twice', () => {
  const room = new AnswerRoom(10);
  const [first, second, third, fourth] = [
    room.place(8),
    room.place(8),
    room.place(2),
    room.place(8),
  ];
  for (const place of [first, second, third, fourth]) void place.enter();
  assert.equal(third.isInside, false);
  second.leave();
  assert.equal(third.isInside, true);
  first.leave();
  first.leave();
  assert.equal(fourth.isInside, true);
  const fifth = room.place(1);
  void fifth.enter();
  assert.equal(fifth.isInside, false);
});

test('a place is kept until the answer is sent', async () => {
  const room = new AnswerRoom(10);
  const [first, second] = [room.place(10), room.place(10)];
  await first.enter();
  void second.enter();
  let sent = () => {};
  first.leaveWhenSent((callback) => {
    sent = callback;
  });
  assert.equal(second.isInside, false);
  sent();
  assert.equal(second.isInside, true);
});

test('a client that never takes its answer holds nobody up for long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const room = new AnswerRoom(10);
  const [first, second] = [room.place(10), room.place(10)];
  await first.enter();
  void second.enter();
  first.leaveWhenSent(() => {});
  assert.equal(second.isInside, false);
  t.mock.timers.tick(1_000);
  assert.equal(second.isInside, true);
});

test('garbage is collected for what answers held, not for what they might have', async () => {
  const room = new AnswerRoom(1000);
  const answers = async (count: number, bytes: number) => {
    for (let index = 0; index < count; index++) {
      const place = room.place(1000);
      await place.enter();
      place.hold(bytes);
      place.leave();
    }
  };
  assert.equal(await collectionsDuring(() => answers(20, 10)), 0);
  assert.equal(await collectionsDuring(() => answers(3, 1000)), 3);
});

/** How often garbage was collected because somebody asked for it. */
async function collectionsDuring(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { flags } = (entry as unknown as { detail: { flags: number } }).detail;
      if (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) count++;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  await work();
  // Entries are told of a turn later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  observer.disconnect();
  return count;
}
