import assert from 'node:assert/strict';
import test from 'node:test';
import { MemoryStore } from '../core/store/store.ts';
import { SIGN_INS } from './records.ts';
import { MAX_PER_USER, MAX_PER_USER_AND_CLIENT, makeRoomForSignIn } from './sign-in-limit.ts';

const KEPT = { ttlMs: 1_000_000, evictable: false } as const;

async function signIn(store: MemoryStore, user: string, id: string, clientId: string, at: number) {
  await store.put(SIGN_INS, id, { user, clientId, renewedAt: at, access: [] }, KEPT);
  await makeRoomForSignIn(store, user, { signInId: id, clientId }, at);
}

async function alive(store: MemoryStore, ids: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(ids.map((id) => store.get(SIGN_INS, id)));
  return ids.filter((_, index) => found[index]);
}

test('a client that signs in again and again pushes out only its own oldest sign-ins', async () => {
  const store = new MemoryStore();
  await signIn(store, 'ada', 'quiet', 'other-client', 0);
  const ids = Array.from({ length: 3 * MAX_PER_USER_AND_CLIENT }, (_, index) => `s${index}`);
  for (const [index, id] of ids.entries()) await signIn(store, 'ada', id, 'noisy', index + 1);
  assert.deepEqual(await alive(store, ['quiet', ...ids]), [
    'quiet',
    ...ids.slice(-MAX_PER_USER_AND_CLIENT),
  ]);
});

test('a user holds a bounded number of sign-ins; the one unused for longest gives way', async () => {
  const store = new MemoryStore();
  const ids = Array.from({ length: MAX_PER_USER }, (_, index) => `s${index}`);
  for (const id of ids) await signIn(store, 'ada', id, `client-${id}`, id === 's7' ? 1 : 2);
  await signIn(store, 'ada', 'one-more', 'client', 3);
  assert.deepEqual(await alive(store, [...ids, 'one-more']), [
    ...ids.filter((id) => id !== 's7'),
    'one-more',
  ]);
});

test('sign-ins that have ended make room before any that has not', async () => {
  const store = new MemoryStore();
  const ids = Array.from({ length: MAX_PER_USER }, (_, index) => `s${index}`);
  for (const id of ids) await signIn(store, 'ada', id, `client-${id}`, 1);
  await store.delete(SIGN_INS, 's3');
  await signIn(store, 'ada', 'one-more', 'client', 2);
  assert.equal((await alive(store, ids)).length, MAX_PER_USER - 1);
});

test('one user never pushes out another, and parallel sign-ins are all counted', async () => {
  const store = new MemoryStore();
  await signIn(store, 'bob', 'bob', 'client', 0);
  const ids = Array.from({ length: 50 }, (_, index) => `s${index}`);
  await Promise.all(ids.map((id) => signIn(store, 'ada', id, 'client', 1)));
  await signIn(store, 'ada', 'last', 'client', 2);
  const left = await alive(store, [...ids, 'last']);
  assert.ok(left.length <= MAX_PER_USER_AND_CLIENT, `${left.length} left`);
  assert.deepEqual(await alive(store, ['bob']), ['bob']);
});
