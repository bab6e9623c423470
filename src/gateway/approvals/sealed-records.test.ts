import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { MemoryStore } from '../../core/store/store.ts';
import { SealedRecords } from './sealed-records.ts';

const KEY = createSecretKey(randomBytes(32));
const LIFE = 60_000;

function records(store = new MemoryStore(), table = 'table', key = KEY) {
  return { store, records: new SealedRecords<{ body: string }>(store, key, table) };
}

test('nothing of a record can be read in the store', async () => {
  const { store, records: sealed } = records();
  await sealed.replace('key', undefined, { body: 'a body of the model' }, LIFE);
  const stored = JSON.stringify(await store.get('table', 'key'));
  for (const text of [stored, Buffer.from(stored, 'base64').toString('latin1')]) {
    assert.doesNotMatch(text, /body|model/);
  }
  assert.deepEqual((await sealed.get('key'))?.value, { body: 'a body of the model' });
});

test('a record that was altered, moved or made elsewhere cannot be opened', async () => {
  const { store, records: sealed } = records();
  await sealed.replace('key', undefined, { body: 'x' }, LIFE);
  const stored = (await store.get<{ sealed: string }>('table', 'key'))!;
  const life = { ttlMs: LIFE, evictable: false } as const;
  await store.put('table', 'other', stored, life);
  await store.put('elsewhere', 'key', stored, life);
  const bytes = Buffer.from(stored.sealed, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const altered = Buffer.from(bytes);
    altered[at]! ^= 1;
    await store.put('table', `altered ${at}`, { sealed: altered.toString('base64') }, life);
    assert.equal((await sealed.get(`altered ${at}`))?.value, undefined);
  }
  await store.put('table', 'short', { sealed: 'AAAA' }, life);
  for (const key of ['other', 'short']) assert.equal((await sealed.get(key))?.value, undefined);
  assert.equal((await records(store, 'elsewhere').records.get('key'))?.value, undefined);
  const stranger = records(store, 'table', createSecretKey(randomBytes(32))).records;
  assert.equal((await stranger.get('key'))?.value, undefined);
});

test('of two that replace a record one does, and one that cannot be opened can be replaced', async () => {
  const { store, records: sealed } = records();
  const both = await Promise.all(
    ['a', 'b'].map((body) => sealed.replace('key', undefined, { body }, LIFE)),
  );
  assert.equal(both.filter(Boolean).length, 1);
  const next = records(store, 'table', createSecretKey(randomBytes(32))).records;
  const held = await next.get('key');
  assert.ok(await next.replace('key', held!.current, { body: 'c' }, LIFE));
});
