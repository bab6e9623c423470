/**
 * The limits and connections of one call, the same for every redirect hop: which addresses it may
 * reach, whose connections it uses, its deadline and the largest body it may return.
 */
import type { TraceContext } from '../../core/http/trace-context.ts';
import type { GuardRules, OwnEndpoints } from '../../core/net/guard.ts';
import type { Lookups } from '../../core/net/lookups.ts';
import type { Redaction } from '../../core/redactor/redactor.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { Target, User } from '../config/config.ts';
import type { Tokens } from '../credentials/minted-tokens.ts';
import type { ModelRequest } from '../request/request.ts';
import { CallSecrets } from './call-secrets.ts';
import { Deadline } from './deadline.ts';
import type { PoolOwner, UpstreamPools } from './pools.ts';
import type { Reservation, ResponseBudget } from './response-budget.ts';

export interface CallContext {
  readonly rules: GuardRules;
  readonly owner: PoolOwner;
  readonly pools: UpstreamPools;
  readonly tokens: Tokens;
  readonly deadline: Deadline;
  readonly capBytes: number;
  /** The wall clock, by which a signature is dated. */
  readonly wallNowMs: () => number;
  readonly callSecrets: CallSecrets;
  readonly reservation: Reservation;
  /** Passed on to configured targets. */
  readonly trace: TraceContext | undefined;
  readonly sending: Sending;
}

/** Whether anything of the call may have reached the upstream. */
export interface Sending {
  hasBegun: boolean;
}

/** A call whose response has begun. */
export interface SentCall {
  readonly request: ModelRequest;
  readonly target: Target | undefined;
  readonly context: CallContext;
  /** Removes what is secret for the user, and for this call. */
  readonly redaction: () => Redaction;
}

export interface CallContextParts {
  readonly active: ActiveConfig;
  readonly pools: UpstreamPools;
  readonly tokens: Tokens;
  readonly budget: ResponseBudget;
  readonly lookups: Lookups;
  readonly own: OwnEndpoints;
  readonly wallNowMs?: () => number;
}

/** An answer over MCP is held in memory, and JSON escaping takes up to 13 characters per byte. */
export const MAX_MCP_RESPONSE_BYTES = 32 * 1024 * 1024;

export function callContext(
  user: User,
  target: Target | undefined,
  client: Pick<ToolContext, 'onCancelled' | 'trace'>,
  maxCapBytes: number,
  { active, pools, tokens, budget, lookups, own, wallNowMs }: CallContextParts,
): CallContext {
  const { server } = active.config;
  const capBytes = Math.min(target?.maxResponseBytes ?? server.maxResponseBytes, maxCapBytes);
  return {
    // `allow_networks` applies to configured targets only, never to calls of `allow_any`.
    rules: {
      resolve: lookups.for(user.name),
      own,
      allowNetworks: target ? server.allowNetworks : [],
    },
    owner: { user: user.name, target: target?.id, generation: active.generation },
    pools,
    tokens,
    deadline: new Deadline(target?.timeoutMs ?? server.requestTimeoutMs, client),
    capBytes,
    wallNowMs: wallNowMs ?? Date.now,
    callSecrets: new CallSecrets(),
    reservation: budget.reservation(user.name, capBytes),
    trace: target && client.trace,
    sending: { hasBegun: false },
  };
}
