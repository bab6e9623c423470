/**
 * What one call needs to leave the gateway: the guard's rules for it, whose connections it
 * may use, how long it may take, and how large its answer may grow. Made once per call; every hop goes the same way.
 */
import type { GuardRules, OwnEndpoints } from '../../core/net/guard.ts';
import type { Lookups } from '../../core/net/lookups.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { Target, User } from '../config/config.ts';
import { Deadline } from './deadline.ts';
import type { PoolOwner, UpstreamPools } from './pools.ts';
import type { AnswerPlace, ResponseBudget } from './response-budget.ts';

export interface CallContext {
  readonly rules: GuardRules;
  readonly owner: PoolOwner;
  readonly pools: UpstreamPools;
  readonly deadline: Deadline;
  readonly capBytes: number;
  readonly place: AnswerPlace;
}

export interface WayOutParts {
  readonly active: ActiveConfig;
  readonly pools: UpstreamPools;
  readonly room: ResponseBudget;
  readonly lookups: Lookups;
  readonly own: OwnEndpoints;
}

export function callContext(
  user: User,
  target: Target | undefined,
  client: Pick<ToolContext, 'onCancelled'>,
  { active, pools, room, lookups, own }: WayOutParts,
): CallContext {
  const { server } = active.config;
  const capBytes = target?.maxResponseBytes ?? server.maxResponseBytes;
  return {
    // Networks opened on purpose are open to configured targets alone.
    rules: {
      resolve: lookups.for(user.name),
      own,
      allowNetworks: target ? server.allowNetworks : [],
    },
    owner: { user: user.name, target: target?.id, generation: active.generation },
    pools,
    deadline: new Deadline(target?.timeoutMs ?? server.requestTimeoutMs, client),
    capBytes,
    place: room.place(user.name, capBytes),
  };
}
