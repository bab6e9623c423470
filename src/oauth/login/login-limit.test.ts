import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRate } from '../../core/limits/rate.ts';
import { MemoryStore } from '../../core/store/store.ts';
import { LoginLimit } from './login-limit.ts';

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
