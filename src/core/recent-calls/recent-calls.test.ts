import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectGarbage } from '../garbage.ts';
import { type CallOrigin, RecentCalls } from './recent-calls.ts';

const ann = { user: 'ann', incarnation: '1' };
const bob = { user: 'bob', incarnation: '1' };
const CALL = { atMs: 0, tool: 'http_request', durationMs: 1, bytes: 2 };

function signIn(signInId: string): CallOrigin {
  return { signInId, clientId: 'client' };
}

test('a user sees their calls, newest first, and those of nobody else', () => {
  const calls = new RecentCalls();
  calls.add(ann, signIn('one'), { ...CALL, target: 'a' });
  calls.add(bob, signIn('two'), { ...CALL, target: 'b' });
  calls.add(ann, { key: 'laptop' }, { ...CALL, target: 'c' });
  assert.deepEqual(
    calls.ofUser(ann).map(({ target, origin }) => [target, origin.key ?? origin.signInId]),
    [
      ['c', 'laptop'],
      ['a', 'one'],
    ],
  );
  assert.deepEqual(calls.ofUser({ ...ann, incarnation: '2' }), []);
});

test('the last calls of a sign-in are its own, oldest first, however busy another one is', () => {
  const calls = new RecentCalls({ perUser: 50, total: 100 });
  for (let at = 0; at < 20; at++) calls.add(ann, signIn('quiet'), { ...CALL, atMs: at });
  for (let at = 0; at < 500; at++) calls.add(ann, signIn('busy'), { ...CALL, atMs: at });
  for (let at = 0; at < 500; at++) calls.add(bob, { key: 'busy' }, { ...CALL, atMs: at });
  assert.deepEqual(
    calls.lastOf(ann, signIn('quiet'), 20).map(({ atMs }) => atMs),
    Array.from({ length: 20 }, (_, at) => at),
  );
  assert.deepEqual(
    calls.lastOf(ann, signIn('busy'), 2).map(({ atMs }) => atMs),
    [498, 499],
  );
  assert.equal(calls.ofUser(ann).length, 50);
  assert.equal(calls.ofUser(bob).length, 50);
});

test('so many are held for all users, and whoever has most gives way', () => {
  const calls = new RecentCalls({ perUser: 50, total: 60 });
  for (let at = 0; at < 50; at++) calls.add(ann, signIn('one'), CALL);
  for (let user = 0; user < 200; user++) {
    calls.add({ user: `u${user}`, incarnation: '1' }, signIn('x'), CALL);
  }
  assert.equal(calls.size, 60);
  assert.equal(calls.ofUser({ user: 'u199', incarnation: '1' }).length, 1);
});

test('a long text costs no more than the part of it that is kept', () => {
  const calls = new RecentCalls();
  const heapUsed = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heapUsed();
  for (let at = 0; at < 100; at++) {
    const long = Buffer.alloc(1024 * 1024, `${at} `).toString('latin1');
    calls.add(ann, signIn('one'), { ...CALL, place: long, method: long, refusal: long });
  }
  const grownBytes = heapUsed() - before;
  assert.ok(grownBytes < 10 * 1024 * 1024, `${grownBytes} bytes`);
  assert.equal(calls.ofUser(ann)[0]!.place!.length, 300);
});
