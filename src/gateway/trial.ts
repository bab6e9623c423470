/**
 * A dry run of a request. The real pipeline runs up to the point where it would connect: nothing is
 * sent, no rate limit of the server is used up and no audit line is written. Only the host name is
 * resolved. On demand, the tokens are obtained and the request is sent after all.
 */

import { steadyNow } from '../core/limits/steady-clock.ts';
import { createLog } from '../core/log/log.ts';
import type { OwnEndpoints, PinnedAddress, Resolver } from '../core/net/guard.ts';
import { Lookups } from '../core/net/lookups.ts';
import { RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { Secret } from '../core/secrets/secret.ts';
import { MemoryStore } from '../core/store/store.ts';
import type { ApprovalGate } from './approvals/approvals.ts';
import type { ActiveConfig } from './config/active-config.ts';
import type { Target, User } from './config/config.ts';
import { MintedTokens, type Tokens } from './credentials/minted-tokens.ts';
import { handleRequest } from './pipeline.ts';
import { Refusal, type RefusalCode } from './request/refusal.ts';
import type { RequestArguments } from './request/request.ts';
import { UpstreamPools } from './upstream/pools.ts';
import { ResponseBudget } from './upstream/response-budget.ts';

/** The steps that can refuse a request, in the order of the pipeline, with their refusal codes. */
export const TRIAL_STEPS: readonly TrialStep[] = [
  { step: 2, name: 'url', codes: ['invalid_url'] },
  { step: 3, name: 'target', codes: ['no_target'] },
  { step: 4, name: 'network', codes: ['blocked_network'] },
  { step: 5, name: 'rate limit', codes: ['rate_limited'] },
  { step: 6, name: 'method', codes: ['method_not_allowed'] },
  { step: 7, name: 'headers', codes: ['reserved_header', 'invalid_header'] },
  { step: 8, name: 'body size', codes: ['request_too_large'] },
  { step: 9, name: 'injection', codes: ['body_injection_failed'] },
  {
    step: 10,
    name: 'sending',
    codes: ['credential_unavailable', 'upstream_error', 'upstream_timeout'],
  },
];

interface TrialStep {
  readonly step: number;
  readonly name: string;
  readonly codes: readonly RefusalCode[];
}

export interface Trial {
  /** Undefined if the request would be sent. */
  readonly refusal: Refusal | undefined;
  readonly target: Target | undefined;
  /** Whether the call of a client would wait for a person. */
  readonly needsApproval: boolean;
  /** As in the audit line. */
  readonly url: string;
  /** What the host resolved to, also if the guard blocks it; an address resolves to itself. */
  readonly addresses: readonly string[];
  /** The status of the answer, if the request was sent. */
  readonly status: number | undefined;
  /** How long the token of a minted secret is good, by its name, if one was obtained. */
  readonly remainingMs: ReadonlyMap<string, number>;
}

interface TrialParts {
  /** Whether the request is sent. */
  readonly sends?: boolean;
  readonly active: ActiveConfig;
  readonly resolve: Resolver;
  readonly own: OwnEndpoints;
}

export async function tryRequest(
  user: User,
  args: RequestArguments,
  { active, resolve, own, sends = false }: TrialParts,
): Promise<Trial> {
  let resolved: readonly string[] | undefined;
  const pools = new TrialPools(sends);
  const log = createLog({ level: 'error', write: () => {} });
  const lookups = new Lookups(async (host) => {
    // A token endpoint is resolved after the host of the request.
    if (resolved) return resolve(host);
    resolved = [];
    resolved = await resolve(host);
    return resolved;
  });
  const tokens = new MintedTokens({ active, lookups, own, log, now: steadyNow });
  let needsApproval = false;
  // Whoever can read the configuration needs nobody's approval.
  const approvals: ApprovalGate = {
    judge: async () => {
      needsApproval = true;
      const decision = { by: 'trial', atMs: Date.now(), how: 'once' } as const;
      return { kind: 'approved', approval: { id: 'trial', decision, giveBack: async () => {} } };
    },
    decided: async () => {},
    beginWait: () => false,
    endWait: () => {},
  };
  const parts = {
    active,
    pools,
    tokens: sends ? tokens : NO_TOKENS,
    budget: new ResponseBudget(),
    store: new MemoryStore(),
    log,
    lookups,
    own,
    approvals,
    recent: new RecentCalls(),
    tripwires: { hit: async () => {} },
  };
  const incarnation = active.incarnation(user.name)!;
  const caller = { user: user.name, incarnation, clientId: 'trial' };
  const client = { onCancelled: () => {}, onSent: () => {} };
  const { result, audit } = await handleRequest(caller, args, client, parts);
  pools.closeAll();
  const url = active.clean(audit.url);
  const target = user.targets.find(({ id }) => id === audit.target);
  const remaining = [...user.minted.values()].flatMap((secret) => {
    const ms = tokens.remainingMs(user.name, secret);
    return ms === undefined ? [] : [[secret.name, ms] as const];
  });
  return {
    refusal: result instanceof Refusal && result !== WOULD_BE_SENT ? result : undefined,
    url,
    target,
    needsApproval,
    status: result instanceof Refusal ? undefined : result.status,
    remainingMs: new Map(remaining),
    addresses: pools.pinned?.map(({ text }) => text) ?? resolved ?? [hostOf(url)],
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Nobody is asked for a token, since nothing is sent. */
const NO_TOKENS: Tokens = {
  obtain: async (_user, { name }) => new Secret(name, ''),
  discard: () => false,
};

/** Ends the pipeline where it would connect; its message is never shown. */
const WOULD_BE_SENT = new Refusal('cancelled', 'a trial sends nothing');

class TrialPools extends UpstreamPools {
  /** The addresses of the first connection. */
  pinned: readonly PinnedAddress[] | undefined;
  readonly #sends: boolean;

  constructor(sends: boolean) {
    super();
    this.#sends = sends;
  }

  override async for(...call: Parameters<UpstreamPools['for']>): ReturnType<UpstreamPools['for']> {
    this.pinned ??= call[2];
    if (!this.#sends) throw WOULD_BE_SENT;
    return super.for(...call);
  }
}
