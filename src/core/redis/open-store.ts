/** Opens the configured store, and waits for it at the start. */
import { describeError, type Log } from '../log/log.ts';
import { type Connection, createConnection, disconnect } from './client.ts';
import { RedisStore, type RedisStoreOptions } from './redis-store.ts';
import type { StoreAddress } from './store-address.ts';

const WAIT_MS = 30_000;
const RETRY_MS = 500;

export interface OpenOptions extends Pick<RedisStoreOptions, 'log' | 'capacity' | 'now'> {
  /** Part of the key prefix, so that gateway and notes server can share one store. */
  readonly program: string;
  /** How long it may take the store to answer. */
  readonly waitMs?: number;
}

/** Rejects when the store does not answer in time. */
export async function openStore(address: StoreAddress, options: OpenOptions): Promise<RedisStore> {
  const { log, program, waitMs = WAIT_MS, ...rest } = options;
  const connection = await createConnection(address);
  const subscriber = await createConnection(address);
  const errors = lastErrors(connection, subscriber);
  const prefix = `${address.prefix}${program}:`;
  try {
    await connectWithin(waitMs, connection, errors, address, log);
    await connectWithin(waitMs, subscriber, errors, address, log);
    const store = new RedisStore({ connection, subscriber, prefix, log, ...rest });
    await store.listen();
    return store;
  } catch (error) {
    disconnect(connection);
    disconnect(subscriber);
    throw error;
  }
}

/** Listens for errors, of which the last explains a failure. Without a listener they end the process. */
function lastErrors(...connections: readonly Connection[]): () => string {
  let last = 'it does not answer';
  for (const connection of connections) {
    connection.on('error', (error: Error) => {
      last = describeError(error);
    });
  }
  return () => last;
}

async function connectWithin(
  waitMs: number,
  connection: Connection,
  lastError: () => string,
  { text }: StoreAddress,
  log: Log,
): Promise<void> {
  const endsAt = performance.now() + waitMs;
  const failure = () => new Error(`the store ${text} cannot be reached: ${lastError()}`);
  connection.connect().catch(() => {});
  const ready = () => connection.status === 'ready';
  for (let attempt = 0; !ready(); attempt++) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) throw failure();
    await nextStatus(connection, Math.min(RETRY_MS, leftMs));
    if (attempt === 0 && !ready()) {
      const message = `waiting for the store ${text} for up to ${Math.round(waitMs / 1_000)} s`;
      log.warn('store_unavailable', { message });
    }
  }
}

function nextStatus(connection: Connection, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      connection.off('ready', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    connection.once('ready', end);
  });
}
