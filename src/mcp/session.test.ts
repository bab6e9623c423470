import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sessions } from './session.ts';

function sessionsWith(limits: { perUser: number; total: number }) {
  let clock = 0;
  return new Sessions({ idleMs: 1_000, ...limits }, () => clock++);
}

test('anyone who opens too many loses the one used longest ago', () => {
  const sessions = sessionsWith({ perUser: 2, total: 10 });
  const [first, second] = [sessions.open('a'), sessions.open('a')];
  sessions.use(first.id, 'a');
  sessions.open('a');
  assert.equal(sessions.use(second.id, 'a'), undefined);
  assert.equal(sessions.use(first.id, 'a'), first);
});

test('at the total cap a user with sessions loses their own', () => {
  const sessions = sessionsWith({ perUser: 3, total: 3 });
  const other = sessions.open('a');
  const own = [sessions.open('b'), sessions.open('b')];
  sessions.open('b');
  assert.equal(sessions.use(other.id, 'a'), other);
  assert.equal(sessions.use(own[0]!.id, 'b'), undefined);
  assert.equal(sessions.use(own[1]!.id, 'b'), own[1]);
});

test('at the total cap a newcomer takes the place of the one who holds most', () => {
  const sessions = sessionsWith({ perUser: 3, total: 3 });
  const single = sessions.open('a');
  const many = [sessions.open('b'), sessions.open('b')];
  const newcomer = sessions.open('c');
  assert.equal(sessions.use(single.id, 'a'), single);
  assert.equal(sessions.use(many[0]!.id, 'b'), undefined);
  assert.equal(sessions.use(newcomer.id, 'c'), newcomer);
});

test('ending a session closes its streams', () => {
  const sessions = sessionsWith({ perUser: 1, total: 1 });
  const session = sessions.open('a');
  let ended = 0;
  session.streams.push({ send() {}, end: () => ended++ });
  sessions.open('a');
  assert.equal(ended, 1);
});

test('a session with an open stream is the last to give way, however long ago it was used', () => {
  const sessions = sessionsWith({ perUser: 2, total: 2 });
  const streaming = sessions.open('a');
  streaming.streams.push({ send() {}, end: () => assert.fail('the stream was ended') });
  const quiet = sessions.open('a');
  sessions.open('a');
  assert.equal(sessions.use(quiet.id, 'a'), undefined);
  sessions.open('b');
  assert.equal(sessions.use(streaming.id, 'a'), streaming);
});

test('sessions that are past their time give way before any that is in use', () => {
  let clock = 0;
  const sessions = new Sessions({ idleMs: 1_000, perUser: 3, total: 10 }, () => clock);
  const streaming = [sessions.open('a'), sessions.open('a')];
  for (const { streams } of streaming) streams.push({ send() {}, end: () => {} });
  const idle = sessions.open('a');
  clock = 1_001;
  const opened = sessions.open('a');
  for (const session of [...streaming, opened]) {
    assert.equal(sessions.use(session.id, 'a'), session);
  }
  // At an earlier time it would count as in use again, were it still there.
  clock = 500;
  assert.equal(sessions.use(idle.id, 'a'), undefined);
});
