import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GuardRules, guardDestination } from '../../core/net/guard.ts';
import { UpstreamPools } from './pools.ts';

const MAX_POOLS = 256;
const OWNER = { user: 'ann', target: 'api', generation: 1 };
const RULES: GuardRules = {
  resolve: async () => ['8.8.8.8'],
  allowNetworks: [],
  own: { origins: [], listeners: [], localAddresses: [] },
};

test('beyond the limit, the pool that was not used for the longest time is closed', async () => {
  const verdict = await guardDestination('8.8.8.8', 443, RULES);
  assert.ok(verdict.ok);
  const pools = new UpstreamPools();
  const poolOf = (n: number) => pools.for(OWNER, `https://api-${n}.example`, verdict.pinned);
  const opened = await Promise.all(Array.from({ length: MAX_POOLS }, (_, n) => poolOf(n)));
  assert.equal(await poolOf(0), opened[0]);
  await poolOf(MAX_POOLS);
  const closed = opened.flatMap((pool, n) => (pool.closed ? [n] : []));
  assert.deepEqual(closed, [1]);
  assert.equal(await poolOf(0), opened[0]);
  assert.notEqual(await poolOf(1), opened[1]);
  pools.closeAll();
});
