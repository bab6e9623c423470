/**
 * Replicas within the process of a test, which then share a clock and can be looked into: each has a
 * connection of its own to the real store, and the real balancer stands in front of them.
 */
import { createLog } from '../../../src/core/log/log.ts';
import { openStore } from '../../../src/core/redis/open-store.ts';
import { parseStoreAddress } from '../../../src/core/redis/store-address.ts';
import type { SharedStore } from '../../../src/core/store/shared-store.ts';
import { freePort } from '../programs/free-port.ts';
import { REPLICAS } from './mode.ts';
import { startBalancer, startRedis } from './programs.ts';

export interface InProcess {
  readonly stores: readonly SharedStore[];
  /** Of the balancer. */
  readonly port: number;
  /** How many records and buckets the store holds. */
  size(): Promise<number>;
  /** Forgets everything. */
  clear(): Promise<void>;
  /** Starts the balancer in front of the replicas, which listen on these ports. */
  balance(ports: readonly number[]): Promise<void>;
  /** Once the replicas are closed. */
  close(): Promise<void>;
}

export async function startInProcess(
  options: { readonly now?: () => number; readonly capacity?: number } = {},
): Promise<InProcess> {
  const redis = await startRedis();
  const address = parseStoreAddress(redis.url)!;
  const log = createLog({ level: 'error' });
  const opening = Array.from({ length: REPLICAS }, () =>
    openStore(address, { log, program: 'test', ...options }),
  );
  const stores = await Promise.all(opening);
  const port = await freePort();
  let stop = async () => {};
  return {
    stores,
    port,
    size: () => redis.size(options.now?.() ?? Date.now()),
    clear: async () => {
      await redis.admin((connection) => connection.flushall());
    },
    balance: async (ports) => {
      const balancer = await startBalancer(ports, { port });
      stop = () => balancer.stop();
    },
    close: async () => {
      await stop();
      for (const store of stores) await store.close();
      await redis.remove();
    },
  };
}
