/**
 * Lets one process at a time spend a refresh token: replicas that spend the same one lose the grant,
 * because providers take that for a stolen token (RFC 9700, section 4.14.2).
 */
import type { Minted } from './minted.ts';

export interface Lease {
  /** Runs the work, or gives what another process that held the lease has minted meanwhile. */
  run(key: string, work: () => Promise<Minted>): Promise<Minted>;
}

/** For a gateway alone: calls of one process share a token request already. */
export const ALONE: Lease = { run: (_key, work) => work() };
