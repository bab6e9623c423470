import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRate } from '../core/rate.ts';
import { MemoryStore } from '../core/store.ts';
import { LoginLimit, sourceOf } from './login-limit.ts';

const same: [string, string, boolean][] = [
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
];
for (const [one, other, expected] of same) {
  test(`${one} and ${other} are ${expected ? 'one source' : 'two sources'}`, () => {
    assert.equal(sourceOf(one) === sourceOf(other), expected);
  });
}

test('a token that is given back does not count', async () => {
  const now = () => 0;
  const limit = new LoginLimit(new MemoryStore({ now }), () => parseRate('2/m')!);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    assert.equal((await limit.take('203.0.113.7')).ok, true);
    await limit.giveBack('203.0.113.7');
  }
  await limit.take('203.0.113.7');
  await limit.take('203.0.113.7');
  assert.deepEqual(await limit.take('203.0.113.7'), { ok: false, retryAfterMs: 30_000 });
  assert.equal((await limit.take('203.0.113.8')).ok, true);
});
