/**
 * Kept-alive connections to upstreams.
 *
 * Stops two leaks at once. A kept-alive socket skips the lookup, so a pool belongs to the
 * very addresses that the guard has just checked, and every new socket's peer is compared
 * with them. And a socket that carried one user's credentials serves nobody else: a pool
 * belongs to one user, one target and one generation of the configuration.
 */
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { isSamePeer, type PinnedAddress } from '../../core/guard.ts';

const MAX_POOLS = 256;
const MAX_CONNECTIONS_PER_POOL = 128;
const KEEP_ALIVE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 60_000;
const MAX_RESPONSE_HEADER_BYTES = 64 * 1024;

export interface PoolOwner {
  readonly user: string;
  readonly target: string | undefined;
  readonly generation: number;
}

export class UpstreamPools {
  /** In the order of last use. */
  readonly #pools = new Map<string, Pool>();

  for(owner: PoolOwner, origin: string, pinned: readonly PinnedAddress[]): Pool {
    const addresses = pinned.map((address) => address.text).join();
    const key = `${owner.generation}\n${owner.user}\n${owner.target ?? ''}\n${origin}\n${addresses}`;
    const known = this.#pools.get(key);
    if (known) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    const pool = newPool(origin, pinned);
    this.#pools.set(key, pool);
    if (this.#pools.size > MAX_POOLS) this.#closeOldest();
    return pool;
  }

  /** Lets calls under way finish on their sockets and gives no new call an old one. */
  closeAll(): void {
    for (const pool of this.#pools.values()) void pool.close().catch(() => {});
    this.#pools.clear();
  }

  #closeOldest(): void {
    const [key, pool] = this.#pools.entries().next().value!;
    this.#pools.delete(key);
    void pool.close().catch(() => {});
  }
}

function newPool(origin: string, pinned: readonly PinnedAddress[]): Pool {
  const connect = buildConnector({
    lookup: (_host, options, callback) => answerPinned(pinned, options, callback as LookupCallback),
    autoSelectFamily: true,
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
  });
  return new Pool(origin, {
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        if (isSamePeer(pinned, socket.remoteAddress)) {
          socket.on('error', makeResetFail);
          return callback(null, socket);
        }
        socket.destroy();
        return callback(new Error('connected to an address that was not checked'), null);
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

type LookupCallback = (
  error: Error | null,
  address: string | { address: string; family: number }[],
  family?: number,
) => void;

function answerPinned(
  pinned: readonly PinnedAddress[],
  options: { all?: boolean | undefined },
  callback: LookupCallback,
): void {
  const answers = pinned.map(({ text, family }) => ({ address: text, family }));
  if (options.all) callback(null, answers);
  else callback(null, answers[0]!.address, answers[0]!.family);
}
