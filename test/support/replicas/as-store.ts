import assert from 'node:assert/strict';
import { parseRate } from '../../../src/core/limits/rate.ts';
import { createLog } from '../../../src/core/log/log.ts';
import { openStore } from '../../../src/core/redis/open-store.ts';
import { parseStoreAddress } from '../../../src/core/redis/store-address.ts';

let programs = 0;

/** Opens the store of this address twice, as two replicas, and uses everything that it is for. */
export async function useAsStore(url: string, waitMs = 10_000): Promise<void> {
  const options = { log: createLog({ level: 'error' }), program: `kinds${programs++}`, waitMs };
  const [one, two] = [
    await openStore(parseStoreAddress(url)!, options),
    await openStore(parseStoreAddress(url)!, options),
  ];
  try {
    assert.ok(await one.isReachable());
    const kept = { ttlMs: 60_000, evictable: false } as const;
    assert.equal(await one.put('clients', 'a', { n: 1 }, kept), true);
    assert.deepEqual(await two.getRecent('clients', 'a'), { n: 1 });
    assert.equal(await two.replace('clients', 'a', { n: 1 }, { n: 2 }, kept), true);
    assert.equal(await one.replace('clients', 'a', { n: 1 }, { n: 3 }, kept), false);
    const { promise: isDeleted, resolve } = Promise.withResolvers<string>();
    two.onDeleted('clients', resolve);
    await one.delete('clients', 'a');
    assert.equal(await isDeleted, 'a');
    const rate = parseRate('2/h')!;
    const takes = [];
    for (const store of [one, two, one]) takes.push((await store.takeToken('kind:a', rate)).ok);
    assert.deepEqual(takes, [true, true, false]);
  } finally {
    await one.close();
    await two.close();
  }
}
