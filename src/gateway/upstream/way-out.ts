/**
 * What one call needs to leave the gateway: the guard's rules for it, whose connections it
 * may use, and how long it may take. Made once per call; every hop goes the same way.
 */
import type { GuardRules, OwnEndpoints, Resolver } from '../../core/guard.ts';
import type { ActiveConfig } from '../active-config.ts';
import type { Target, User } from '../config/config.ts';
import { Deadline } from './deadline.ts';
import type { PoolOwner, UpstreamPools } from './pools.ts';

export interface WayOut {
  readonly rules: GuardRules;
  readonly owner: PoolOwner;
  readonly pools: UpstreamPools;
  readonly deadline: Deadline;
  readonly capBytes: number;
}

export interface WayOutParts {
  readonly active: ActiveConfig;
  readonly pools: UpstreamPools;
  readonly resolve: Resolver;
  readonly own: OwnEndpoints;
}

export function wayOut(
  user: User,
  target: Target | undefined,
  client: AbortSignal,
  { active, pools, resolve, own }: WayOutParts,
): WayOut {
  const { server } = active.config;
  return {
    // Networks opened on purpose are open to configured targets alone.
    rules: { resolve, own, allowNetworks: target ? server.allowNetworks : [] },
    owner: { user: user.name, target: target?.id, generation: active.generation },
    pools,
    deadline: new Deadline(target?.timeoutMs ?? server.requestTimeoutMs, client),
    capBytes: target?.maxResponseBytes ?? server.maxResponseBytes,
  };
}
