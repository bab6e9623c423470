import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskedSession, askedOnStream } from './asked-on-stream.ts';

test('a session keeps no question of a call that is over', async () => {
  const session: AskedSession = { abilities: ['elicitation.url'], asked: new Map() };
  const sent: object[] = [];
  const call = { onCancelled: () => {} };
  const peer = askedOnStream(session, call, (message) => sent.push(message));
  const answers = [1, 2].map(() => peer.ask!({ method: 'elicitation/create', params: {} }));
  assert.deepEqual([sent.length, session.asked.size], [2, 2]);
  peer.end!();
  assert.deepEqual(await Promise.all(answers), [undefined, undefined]);
  assert.equal(session.asked.size, 0);
});
