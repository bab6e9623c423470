import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lookups } from './lookups.ts';

/** A resolver in which names under `dead.` are never answered until they are let go. */
function stallingResolver() {
  const asked: string[] = [];
  const stalled: (() => void)[] = [];
  const resolve = (host: string) => {
    asked.push(host);
    if (!host.startsWith('dead')) return Promise.resolve(['8.8.8.8']);
    return new Promise<never>((_, reject) => {
      stalled.push(() => reject(new Error('no answer')));
    });
  };
  return { asked, stalled, resolve };
}

test('names that never answer hold half of the lookups, and not those of another user', async () => {
  const { asked, resolve } = stallingResolver();
  const lookups = new Lookups(resolve, 8);
  for (let at = 0; at < 64; at++)
    void lookups
      .for('mallory')(`dead${at}.example`)
      .catch(() => {});
  assert.equal(asked.length, 4);
  assert.deepEqual(await lookups.for('alice')('live.example'), ['8.8.8.8']);
  assert.equal(asked.at(-1), 'live.example');
});

test('what waits is looked up in its order once a lookup has ended', async () => {
  const { asked, stalled, resolve } = stallingResolver();
  const lookups = new Lookups(resolve, 2);
  const first = lookups.for('mallory')('dead.example');
  const second = lookups.for('mallory')('live.example');
  const third = lookups.for('mallory')('live.example');
  assert.deepEqual(asked, ['dead.example']);
  stalled[0]!();
  await assert.rejects(first, /no answer/);
  assert.deepEqual(await Promise.all([second, third]), [['8.8.8.8'], ['8.8.8.8']]);
  assert.deepEqual(asked, ['dead.example', 'live.example']);
});

test('a name that is being looked up already takes nobody a lookup', async () => {
  const { asked, stalled, resolve } = stallingResolver();
  const lookups = new Lookups(resolve, 2);
  const both = ['mallory', 'alice'].map((user) => lookups.for(user)('dead.example'));
  assert.deepEqual(await lookups.for('alice')('live.example'), ['8.8.8.8']);
  assert.deepEqual(asked, ['dead.example', 'live.example']);
  stalled[0]!();
  for (const one of both) await assert.rejects(one, /no answer/);
});

test('who waits leaves when their time is over, and is never looked up', async () => {
  const { asked, stalled, resolve } = stallingResolver();
  const lookups = new Lookups(resolve, 2);
  const first = lookups.for('mallory')('dead.example');
  const abort = new AbortController();
  const waiting = lookups.for('mallory')('late.example', abort.signal);
  abort.abort(new Error('too late'));
  await assert.rejects(waiting, /too late/);
  await assert.rejects(lookups.for('mallory')('later.example', abort.signal), /too late/);
  stalled[0]!();
  await assert.rejects(first, /no answer/);
  assert.deepEqual(asked, ['dead.example']);
});
