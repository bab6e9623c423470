import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairShare } from './fair-share.ts';

test('each holds at most half of what the others have left', () => {
  const share = new FairShare(12);
  const takenBy = (who: string) => {
    while (share.take(who, 1));
    return share.of(who);
  };
  assert.deepEqual(['a', 'b', 'c', 'd'].map(takenBy), [6, 3, 2, 1]);
  assert.equal(share.take('e', 1), false);
  share.giveBack('a', 6);
  assert.equal(share.take('e', 3), true);
  assert.equal(share.take('e', 1), false);
});

test('an amount is taken as a whole or not at all', () => {
  const share = new FairShare(32);
  assert.deepEqual(
    [share.take('a', 17), share.take('a', 16), share.take('b', 9)],
    [false, true, false],
  );
  assert.equal(share.take('b', 8), true);
});
