/**
 * Connection pools to upstreams, with keep-alive.
 *
 * Prevents DNS rebinding through a kept-alive socket: a pool is keyed by the addresses that the guard
 * checked for this call, and the peer of every new socket is compared with them. Also prevents
 * connections shared between users: a pool belongs to one user, target and configuration generation.
 */
import type { Pool } from 'undici';
import type { PinnedAddress } from '../../core/net/guard.ts';
import { pinnedConnector } from '../../core/net/pinned-connector.ts';

const MAX_POOLS = 256;
/** An event stream through the HTTP door holds one for as long as it is open. */
const MAX_CONNECTIONS_PER_POOL = 1_024;
const KEEP_ALIVE_MS = 10_000;
const MAX_RESPONSE_HEADER_BYTES = 64 * 1024;

export interface PoolOwner {
  readonly user: string;
  readonly target: string | undefined;
  readonly generation: number;
}

interface Entry {
  readonly pool: Promise<Pool>;
  /** Counts up over all pools. */
  lastUse: number;
}

export class UpstreamPools {
  /** Not kept in the order of use: moving an entry at each call makes garbage that outlives it. */
  readonly #pools = new Map<string, Entry>();
  #uses = 0;

  for(owner: PoolOwner, origin: string, pinned: readonly PinnedAddress[]): Promise<Pool> {
    // Sorted: DNS servers rotate the order of addresses.
    const addresses = pinned
      .map((address) => address.text)
      .sort()
      .join();
    const key = `${owner.generation}\n${owner.user}\n${owner.target ?? ''}\n${origin}\n${addresses}`;
    const entry = this.#pools.get(key) ?? this.#open(key, origin, pinned);
    entry.lastUse = ++this.#uses;
    return entry.pool;
  }

  /** Running calls finish; new calls get new connections. */
  closeAll(): void {
    for (const { pool } of this.#pools.values()) close(pool);
    this.#pools.clear();
  }

  #open(key: string, origin: string, pinned: readonly PinnedAddress[]): Entry {
    if (this.#pools.size >= MAX_POOLS) this.#closeOldest();
    const entry = { pool: newPool(origin, pinned), lastUse: 0 };
    this.#pools.set(key, entry);
    return entry;
  }

  #closeOldest(): void {
    const [[key, { pool }]] = [...this.#pools].sort((a, b) => a[1].lastUse - b[1].lastUse) as [
      [string, Entry],
    ];
    this.#pools.delete(key);
    close(pool);
  }
}

function close(pool: Promise<Pool>): void {
  pool.then((ready) => ready.close()).catch(() => {});
}

/** The client is loaded at the first call, so that an idle gateway uses less memory. */
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
 * undici treats a reset as the end of a body without a length, which would pass a truncated response
 * and perhaps part of a secret. With another error code it is a failure.
 */
function makeResetFail(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'UPSTREAM_RESET';
}
