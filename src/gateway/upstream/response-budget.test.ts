import assert from 'node:assert/strict';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { test } from 'node:test';
import { ResponseBudget } from './response-budget.ts';

test('answers enter in order as room becomes free', async () => {
  const budget = new ResponseBudget(12);
  const reservations = [6, 6, 3, 5].map((bytes, at) => budget.reservation(`user ${at}`, bytes));
  for (const reservation of reservations) void reservation.reserve();
  assert.deepEqual(granted(), [true, true, false, false]);
  reservations[0]!.release();
  await reservations[2]!.reserve();
  assert.deepEqual(granted(), [false, true, true, false]);
  reservations[1]!.release();
  assert.deepEqual(granted(), [false, false, true, true]);

  function granted() {
    return reservations.map((reservation) => reservation.isGranted);
  }
});

test('one user has half of the room at most, and nobody waits behind what may not enter', async () => {
  const budget = new ResponseBudget(10);
  const [first, second, third] = [
    budget.reservation('a', 3),
    budget.reservation('a', 3),
    budget.reservation('a', 2),
  ];
  const other = budget.reservation('b', 5);
  for (const reservation of [first, second, third, other]) void reservation.reserve();
  assert.deepEqual(
    [first, second, third, other].map(({ isGranted }) => isGranted),
    [true, false, true, true],
  );
  other.release();
  assert.equal(second.isGranted, false);
  first.release();
  assert.equal(second.isGranted, true);
});

test('an answer larger than half of the room has that half', async () => {
  const budget = new ResponseBudget(10);
  const [huge, small] = [budget.reservation('a', 1_000), budget.reservation('a', 1)];
  await huge.reserve();
  void small.reserve();
  assert.equal(small.isGranted, false);
  await budget.reservation('b', 1_000).reserve();
  huge.release();
  await small.reserve();
});

test('one that gives up waiting holds nobody back, and leaving twice frees nothing twice', () => {
  const budget = new ResponseBudget(16);
  const [first, second, third, fourth, fifth] = [8, 8, 8, 2, 8].map((bytes, at) =>
    budget.reservation(`user ${at}`, bytes),
  );
  for (const reservation of [first, second, third, fourth, fifth]) void reservation!.reserve();
  assert.equal(fourth!.isGranted, false);
  first!.release();
  first!.release();
  assert.deepEqual([third!.isGranted, fourth!.isGranted], [true, false]);
  fifth!.release();
  second!.release();
  assert.equal(fourth!.isGranted, true);
});

test('a reservation is kept until the answer is sent', async () => {
  const budget = new ResponseBudget(10);
  const [first, second] = [budget.reservation('a', 10), budget.reservation('a', 10)];
  await first.reserve();
  void second.reserve();
  let sent = () => {};
  first.releaseWhenSent((callback) => {
    sent = callback;
  });
  assert.equal(second.isGranted, false);
  sent();
  assert.equal(second.isGranted, true);
});

test('small answers pass until they hold too much together, and count until they are sent', async () => {
  const KIB = 1024;
  const budget = new ResponseBudget(256 * KIB);
  const small = [1, 2, 3].map(() => budget.reservation('a', 256 * KIB));
  assert.deepEqual(
    small.map((reservation) => reservation.hold(60 * KIB)),
    [true, true, false],
  );
  assert.equal(budget.reservation('a', 256 * KIB).hold(4 * KIB), true);
  assert.equal(budget.reservation('b', 256 * KIB).hold(60 * KIB), true);
  await small[2]!.reserve();
  let sent = () => {};
  small[0]!.releaseWhenSent((callback) => {
    sent = callback;
  });
  const next = budget.reservation('a', 256 * KIB);
  assert.equal(next.hold(20 * KIB), false);
  sent();
  assert.equal(next.hold(1), true);
  assert.equal(next.hold(60 * KIB), false);
});

test('garbage is collected for what answers held, not for what they might have', async () => {
  const budget = new ResponseBudget(1000);
  const answers = async (count: number, bytes: number) => {
    for (let index = 0; index < count; index++) {
      const reservation = budget.reservation('a', 1000);
      await reservation.reserve();
      reservation.hold(bytes);
      reservation.release();
    }
  };
  assert.equal(await collectionsDuring(() => answers(20, 10)), 0);
  assert.equal(await collectionsDuring(() => answers(3, 1000)), 3);
});

/** How many garbage collections were requested by the program. */
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
  // Entries are delivered a turn later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  observer.disconnect();
  return count;
}
