/**
 * Connections to the store through ioredis, which is loaded only here, and needed only with a store.
 *
 * A command fails when it cannot be sent or times out; it is neither queued nor retried, since nobody
 * waits for it any more. The client reconnects with backoff, and follows a failover.
 */
import type { Cluster, Redis } from 'ioredis';
import type { StoreAddress } from './store-address.ts';

const COMMAND_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_BACKOFF_MS = 2_000;

export type Connection = Redis | Cluster;

/** A connection that has not been opened yet. */
export async function createConnection(address: StoreAddress): Promise<Connection> {
  const { Cluster, Redis } = await loadClient();
  const { hosts, name, db, username, password, isTls } = address;
  const credentials = {
    ...(username !== undefined && { username }),
    ...(password && { password: password.reveal() }),
  };
  const options = {
    ...credentials,
    ...(isTls && { tls: {} }),
    db,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // The store subscribes again itself, to notice failures.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: 'gatehouse',
    retryStrategy: backoffMs,
    // After a failover the server may be a replica, which refuses writes.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  };
  switch (address.kind) {
    case 'socket':
      return new Redis({ ...options, path: name });
    case 'server':
      return new Redis({ ...options, ...hosts[0]! });
    case 'sentinel':
      return new Redis({
        ...options,
        sentinels: [...hosts],
        name,
        sentinelRetryStrategy: backoffMs,
        ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
      });
    case 'cluster': {
      const { lazyConnect, enableOfflineQueue, retryStrategy, ...redisOptions } = options;
      const ofCluster = { lazyConnect, enableOfflineQueue, clusterRetryStrategy: retryStrategy };
      return new Cluster([...hosts], { ...ofCluster, redisOptions });
    }
  }
}

/**
 * Ends a connection. An aborted TLS handshake may cause an error event after the client has removed its
 * listeners, which would crash the process.
 */
export function disconnect(connection: Connection): void {
  for (const each of 'nodes' in connection ? connection.nodes('all') : [connection]) {
    each.stream?.on('error', () => {});
  }
  connection.disconnect();
}

async function loadClient() {
  try {
    return await import('ioredis');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('a store needs the package ioredis; install it with: npm i ioredis');
  }
}

function backoffMs(attempt: number): number {
  const longest = Math.min(MAX_BACKOFF_MS, 50 * 2 ** Math.min(attempt, 10));
  return Math.ceil(longest * (0.5 + Math.random() / 2));
}
