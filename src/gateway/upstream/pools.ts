/**
 * Kept-alive connections to upstreams.
 *
 * Stops two leaks at once. A kept-alive socket skips the lookup, so a pool belongs to the
 * very addresses that the guard has just checked, and every new socket's peer is compared
 * with them. And a socket that carried one user's credentials serves nobody else: a pool
 * belongs to one user, one target and one generation of the configuration.
 */
import type { Pool } from 'undici';
import type { PinnedAddress } from '../../core/net/guard.ts';
import { pinnedConnector } from '../../core/net/pinned-connector.ts';

const MAX_POOLS = 256;
const MAX_CONNECTIONS_PER_POOL = 128;
const KEEP_ALIVE_MS = 10_000;
const MAX_RESPONSE_HEADER_BYTES = 64 * 1024;

export interface PoolOwner {
  readonly user: string;
  readonly target: string | undefined;
  readonly generation: number;
}

export class UpstreamPools {
  /** In the order of last use. */
  readonly #pools = new Map<string, Promise<Pool>>();
  #lastUsed: Promise<Pool> | undefined;

  for(owner: PoolOwner, origin: string, pinned: readonly PinnedAddress[]): Promise<Pool> {
    // In an order of its own: many names are answered in another order each time.
    const addresses = pinned
      .map((address) => address.text)
      .sort()
      .join();
    const key = `${owner.generation}\n${owner.user}\n${owner.target ?? ''}\n${origin}\n${addresses}`;
    const known = this.#pools.get(key);
    if (known && known === this.#lastUsed) return known;
    const pool = known ?? newPool(origin, pinned);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    this.#lastUsed = pool;
    if (this.#pools.size > MAX_POOLS) this.#closeOldest();
    return pool;
  }

  /** Lets calls under way finish on their sockets and gives no new call an old one. */
  closeAll(): void {
    for (const pool of this.#pools.values()) close(pool);
    this.#pools.clear();
  }

  #closeOldest(): void {
    const [key, pool] = this.#pools.entries().next().value!;
    this.#pools.delete(key);
    close(pool);
  }
}

/** Lets what is under way end first. */
function close(pool: Promise<Pool>): void {
  pool.then((ready) => ready.close()).catch(() => {});
}

/** The client is loaded at the first call: an idle gateway stays small. */
async function newPool(origin: string, pinned: readonly PinnedAddress[]): Promise<Pool> {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const connect = await pinnedConnector(pinned);
  return new Pool(origin, {
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        socket.on('error', makeResetFail);
        return callback(null, socket);
      }),
    connections: MAX_CONNECTIONS_PER_POOL,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
  });
}

/**
 * undici takes a reset for the end of a body without a length and would hand on half an answer,
 * perhaps half a secret. Under another code a reset is the failure it is.
 */
function makeResetFail(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'UPSTREAM_RESET';
}
