import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseRate } from '../limits/rate.ts';
import { MemoryStore } from './store.ts';

const KEPT = { ttlMs: 1_000, evictable: false } as const;
const LOOSE = { ttlMs: 1_000, evictable: true, source: 'a' } as const;

test('a record lives until its time is over', async () => {
  let now = 0;
  const store = new MemoryStore({ now: () => now });
  await store.put('clients', 'a', { n: 1 }, KEPT);
  now = 999;
  assert.deepEqual(await store.get('clients', 'a'), { n: 1 });
  now = 1_000;
  assert.equal(await store.get('clients', 'a'), undefined);
  assert.equal(store.size(), 0);
});

test('a full table forgets its oldest evictable record and never a kept one', async () => {
  const store = new MemoryStore({ capacity: 3 });
  await store.put('clients', 'kept', { n: 0 }, KEPT);
  await store.put('clients', 'old', { n: 1 }, LOOSE);
  await store.put('clients', 'young', { n: 2 }, LOOSE);
  assert.equal(await store.put('clients', 'new', { n: 3 }, KEPT), true);
  assert.equal(await store.get('clients', 'old'), undefined);
  assert.deepEqual(await store.get('clients', 'kept'), { n: 0 });
  assert.deepEqual(await store.get('clients', 'young'), { n: 2 });
});

test('a table full of kept records refuses a new one and loses none', async () => {
  const store = new MemoryStore({ capacity: 2 });
  await store.put('clients', 'a', { n: 0 }, KEPT);
  await store.put('clients', 'b', { n: 1 }, KEPT);
  assert.equal(await store.put('clients', 'c', { n: 2 }, LOOSE), false);
  assert.deepEqual(await store.get('clients', 'a'), { n: 0 });
  assert.deepEqual(await store.get('clients', 'b'), { n: 1 });
  assert.equal(await store.put('clients', 'b', { n: 9 }, KEPT), true);
});

test('of two callers that replace the same state one wins', async () => {
  const store = new MemoryStore();
  await store.put('families', 'f', { generation: 1 }, KEPT);
  const [first, second] = await Promise.all([
    store.replace('families', 'f', { generation: 1 }, { generation: 2 }, KEPT),
    store.replace('families', 'f', { generation: 1 }, { generation: 2, other: true }, KEPT),
  ]);
  assert.deepEqual([first, second], [true, false]);
  assert.deepEqual(await store.get('families', 'f'), { generation: 2 });
});

test('of two callers that store the first state one wins', async () => {
  const store = new MemoryStore();
  const [first, second] = await Promise.all([
    store.replace('families', 'f', undefined, { generation: 1 }, KEPT),
    store.replace('families', 'f', undefined, { generation: 1, other: true }, KEPT),
  ]);
  assert.deepEqual([first, second], [true, false]);
  assert.deepEqual(await store.get('families', 'f'), { generation: 1 });
});

test('buckets are forgotten once full, and bounded while not', async () => {
  let now = 0;
  const store = new MemoryStore({ capacity: 10, now: () => now });
  const rate = parseRate('1/s')!;
  for (let i = 0; i < 100; i++) await store.takeToken(`login:${i}`, rate);
  assert.ok(store.size() <= 10);
  now = 1_000;
  assert.equal(store.size(), 0);
});

test('a returned token can be taken again', async () => {
  const store = new MemoryStore({ now: () => 0 });
  const rate = parseRate('1/h')!;
  assert.equal((await store.takeToken('x', rate)).ok, true);
  assert.equal((await store.takeToken('x', rate)).ok, false);
  await store.returnToken('x', rate);
  assert.equal((await store.takeToken('x', rate)).ok, true);
});

test('a changed rate fills no bucket, however often it changes, and is in force at once', async () => {
  let now = 0;
  const store = new MemoryStore({ now: () => now });
  const take = async (rate: string) => (await store.takeToken('x', parseRate(rate)!)).ok;
  assert.equal(await take('1/h'), true);
  for (const rate of ['1/h', '2/h', '1/h', '60/h', '1/m'])
    assert.equal(await take(rate), false, rate);
  now = 1_000;
  assert.equal(await take('1/s'), false);
  now = 2_000;
  assert.equal(await take('1/s'), true);
});

test('of full buckets the one unused for longest gives way, not one in use', async () => {
  const store = new MemoryStore({ capacity: 3, now: () => 0 });
  const rate = parseRate('1/h')!;
  for (const name of ['login:a', 'login:b', 'login:c']) await store.takeToken(name, rate);
  assert.equal((await store.takeToken('login:a', rate)).ok, false);
  await store.takeToken('login:d', rate);
  assert.equal((await store.takeToken('login:a', rate)).ok, false);
  assert.equal((await store.takeToken('login:b', rate)).ok, true);
});

test('a flood of one kind of bucket resets none of another', async () => {
  const store = new MemoryStore({ capacity: 10, now: () => 0 });
  const rate = parseRate('1/h')!;
  await store.takeToken('target:ada:mail', rate);
  for (let i = 0; i < 100; i++) await store.takeToken(`login:${i}`, rate);
  assert.equal((await store.takeToken('target:ada:mail', rate)).ok, false);
});

test('records end and buckets fill as time passes, also after the clock was set back', {
  timeout: 10_000,
}, async (context) => {
  const now = Date.now;
  let backMs = 0;
  context.mock.method(Date, 'now', () => now() - backMs);
  const store = new MemoryStore();
  const rate = parseRate('50/s')!;
  for (let taken = 0; taken < rate.count; taken++) await store.takeToken('login:a', rate);
  await store.put('t', 'a', { v: 1 }, { ttlMs: 20, evictable: false });
  backMs = 3_600_000;
  while (await store.get('t', 'a')) await setImmediate();
  while (!(await store.takeToken('login:a', rate)).ok) await setImmediate();
});

test('a clock that is set forward ends records and fills no bucket', async (context) => {
  const now = Date.now;
  let aheadMs = 0;
  context.mock.method(Date, 'now', () => now() + aheadMs);
  const store = new MemoryStore();
  const rate = parseRate('1/h')!;
  await store.put('t', 'a', { v: 1 }, { ttlMs: 3_600_000, evictable: false });
  assert.equal((await store.takeToken('login:a', rate)).ok, true);
  aheadMs = 86_400_000;
  assert.equal(await store.get('t', 'a'), undefined);
  assert.equal((await store.takeToken('login:a', rate)).ok, false);
  assert.equal(store.size(), 1);
});
