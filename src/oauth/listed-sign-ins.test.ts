import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastUses } from '../core/store/last-uses.ts';
import { MemoryStore } from '../core/store/store.ts';
import { ClientMetadata } from './client-metadata.ts';
import { Clients } from './clients.ts';
import { ListedSignIns } from './listed-sign-ins.ts';
import { SIGN_INS } from './records.ts';
import { makeRoomForSignIn } from './sign-in-limit.ts';

const LIFETIME = { ttlMs: 3_600_000, evictable: false } as const;

async function listed() {
  const clock = { ms: 1_000_000 };
  const now = () => clock.ms;
  const store = new MemoryStore({ now });
  const fetch = () => Promise.reject(new Error('nothing is fetched'));
  const metadata = new ClientMetadata({ store, fetch, log: undefined as never });
  const uses = new LastUses(store, 'sign-in-uses', now);
  const signIns = new ListedSignIns({ store, clients: new Clients(store, metadata), uses, now });
  const add = async (id: string, user: string, incarnation: string, rest: object = {}) => {
    const refresh = { hash: 'h', expiresAt: now() + 1 };
    const clientId = 'https://app.example/client.json';
    const record = { user, incarnation, clientId, renewedAt: now(), refresh, access: [], ...rest };
    await store.put(SIGN_INS, id, record, LIFETIME);
    await makeRoomForSignIn(store, user, { signInId: id, clientId }, now());
  };
  return { clock, signIns, uses, add, store };
}

test('a person sees their sign-ins, the last used first, and what an app is called without asking it', async () => {
  const { clock, signIns, uses, add } = await listed();
  await add('first', 'ada', '1');
  clock.ms += 1;
  await add('second', 'ada', '1');
  await add('no app yet', 'ada', '1', { refresh: undefined });
  await add('of an ada before', 'ada', '0');
  await add('his', 'bob', '1');
  const ids = async () => (await signIns.of({ user: 'ada', incarnation: '1' })).map(({ id }) => id);
  assert.deepEqual(await ids(), ['second', 'first']);
  clock.ms += 60_000;
  uses.note('first', 'ada');
  assert.deepEqual(await ids(), ['first', 'second']);
  const [one] = await signIns.of({ user: 'ada', incarnation: '1' });
  assert.deepEqual([one!.clientName, one!.usedAt], ['app.example', clock.ms]);
});

test('a person ends none but their own', async () => {
  const { signIns, add, store } = await listed();
  await add('hers', 'ada', '1');
  assert.equal(await signIns.end({ user: 'bob', incarnation: '1' }, 'hers'), false);
  assert.equal(await signIns.end({ user: 'ada', incarnation: '2' }, 'hers'), false);
  assert.ok(await store.get(SIGN_INS, 'hers'));
  assert.equal(await signIns.end({ user: 'ada', incarnation: '1' }, 'hers'), true);
  assert.equal(await store.get(SIGN_INS, 'hers'), undefined);
  assert.equal(await signIns.end({ user: 'ada', incarnation: '1' }, 'hers'), false);
});

test('uses within a minute are one write, and a store out of reach is no problem', async () => {
  let writes = 0;
  const store = new MemoryStore();
  store.put = async () => {
    writes += 1;
    throw new Error('out of reach');
  };
  let ms = 0;
  const uses = new LastUses(store, 't', () => ms);
  for (ms = 0; ms <= 60_000; ms += 10_000) uses.note('key', 'ada');
  assert.equal(writes, 2);
});
