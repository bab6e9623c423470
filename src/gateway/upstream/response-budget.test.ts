import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { ResponseBudget } from './response-budget.ts';

test('answers enter in order as room becomes free', async () => {
  const room = new ResponseBudget(12);
  const places = [6, 6, 3, 5].map((bytes, at) => room.place(`user ${at}`, bytes));
  for (const place of places) void place.enter();
  assert.deepEqual(inside(), [true, true, false, false]);
  places[0]!.leave();
  await places[2]!.enter();
  assert.deepEqual(inside(), [false, true, true, false]);
  places[1]!.leave();
  assert.deepEqual(inside(), [false, false, true, true]);

  function inside() {
    return places.map((place) => place.isInside);
  }
});

test('one user has half of the room at most, and nobody waits behind what may not enter', async () => {
  const room = new ResponseBudget(10);
  const [first, second, third] = [room.place('a', 3), room.place('a', 3), room.place('a', 2)];
  const other = room.place('b', 5);
  for (const place of [first, second, third, other]) void place.enter();
  assert.deepEqual(
    [first, second, third, other].map(({ isInside }) => isInside),
    [true, false, true, true],
  );
  other.leave();
  assert.equal(second.isInside, false);
  first.leave();
  assert.equal(second.isInside, true);
});

test('an answer larger than half of the room has that half', async () => {
  const room = new ResponseBudget(10);
  const [huge, small] = [room.place('a', 1_000), room.place('a', 1)];
  await huge.enter();
  void small.enter();
  assert.equal(small.isInside, false);
  await room.place('b', 1_000).enter();
  huge.leave();
  await small.enter();
});

test('one that gives up waiting holds nobody back, and leaving twice frees nothing twice', () => {
  const room = new ResponseBudget(16);
  const [first, second, third, fourth, fifth] = [8, 8, 8, 2, 8].map((bytes, at) =>
    room.place(`user ${at}`, bytes),
  );
  for (const place of [first, second, third, fourth, fifth]) void place!.enter();
  assert.equal(fourth!.isInside, false);
  first!.leave();
  first!.leave();
  assert.deepEqual([third!.isInside, fourth!.isInside], [true, false]);
  fifth!.leave();
  second!.leave();
  assert.equal(fourth!.isInside, true);
});

test('a place is kept until the answer is sent', async () => {
  const room = new ResponseBudget(10);
  const [first, second] = [room.place('a', 10), room.place('a', 10)];
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

test('small answers pass until they hold too much together, and count until they are sent', async () => {
  const KIB = 1024;
  const room = new ResponseBudget(256 * KIB);
  const small = [1, 2, 3].map(() => room.place('a', 256 * KIB));
  assert.deepEqual(
    small.map((place) => place.hold(60 * KIB)),
    [true, true, false],
  );
  assert.equal(room.place('a', 256 * KIB).hold(4 * KIB), true);
  assert.equal(room.place('b', 256 * KIB).hold(60 * KIB), true);
  await small[2]!.enter();
  let sent = () => {};
  small[0]!.leaveWhenSent((callback) => {
    sent = callback;
  });
  const next = room.place('a', 256 * KIB);
  assert.equal(next.hold(20 * KIB), false);
  sent();
  assert.equal(next.hold(1), true);
  assert.equal(next.hold(60 * KIB), false);
});

test('garbage is collected for what answers held, not for what they might have', async () => {
  const room = new ResponseBudget(1000);
  const answers = async (count: number, bytes: number) => {
    for (let index = 0; index < count; index++) {
      const place = room.place('a', 1000);
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
