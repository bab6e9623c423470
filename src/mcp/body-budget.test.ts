import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BODY_LIMIT_BYTES } from '../core/http/server.ts';
import { BodyBudget } from './body-budget.ts';

/** A place, and what ends its request. */
function placeIn(budget: BodyBudget, user: string) {
  let answered = () => {};
  const place = budget.reservation(user, (callback) => {
    answered = callback;
  });
  const take = (bytes = BODY_LIMIT_BYTES) => place.take(bytes, bytes)?.status;
  return { place, take, answer: () => answered() };
}

test('a user has room for two of the largest bodies, and others for what they leave', () => {
  const budget = new BodyBudget();
  const own = [1, 2, 3].map(() => placeIn(budget, 'mallory'));
  assert.deepEqual(
    own.map(({ take }) => take()),
    [undefined, undefined, 429],
  );
  const alice = placeIn(budget, 'alice');
  assert.equal(alice.take(), undefined);
  assert.equal(placeIn(budget, 'bob').take(), 503);
  alice.answer();
  own[0]!.answer();
  own[0]!.answer();
  assert.equal(own[2]!.take(), undefined);
  assert.equal(placeIn(budget, 'mallory').take(), 429);
});

test('small bodies pass when there is no room, and say how long to wait where they grow', () => {
  const budget = new BodyBudget();
  for (let at = 0; at < 2; at++) placeIn(budget, 'mallory').take();
  const { place, take } = placeIn(budget, 'mallory');
  assert.equal(take(16 * 1024), undefined);
  const refusal = place.take(16 * 1024 + 1, BODY_LIMIT_BYTES);
  assert.deepEqual([refusal?.status, refusal?.code, refusal?.retryAfterS], [429, -32000, 5]);
});

test('a body of unknown length gives back what it did not need', () => {
  const budget = new BodyBudget();
  for (let at = 0; at < 16; at++) {
    const { place } = placeIn(budget, 'ada');
    assert.equal(place.take(20_000, BODY_LIMIT_BYTES), undefined);
    place.settle(20_000);
  }
});
