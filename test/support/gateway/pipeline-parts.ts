/**
 * The pipeline without a server around it, for what a real process cannot be made to do: a
 * resolver that lies or stalls, a clock that is moved, a public address that leads to loopback.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { steadyNow } from '../../../src/core/limits/steady-clock.ts';
import { createLog } from '../../../src/core/log/log.ts';
import type { PinnedAddress, Resolver } from '../../../src/core/net/guard.ts';
import { Lookups } from '../../../src/core/net/lookups.ts';
import { type RecentCall, RecentCalls } from '../../../src/core/recent-calls/recent-calls.ts';
import { Tripwires } from '../../../src/core/recent-calls/tripwires.ts';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { MemoryStore, type Store } from '../../../src/core/store/store.ts';
import { openApprovals } from '../../../src/gateway/approvals/approvals.ts';
import type { Decisions } from '../../../src/gateway/approvals/decisions.ts';
import { ActiveConfig } from '../../../src/gateway/config/active-config.ts';
import { readConfig } from '../../../src/gateway/config/read-config.ts';
import { MintedTokens } from '../../../src/gateway/credentials/minted-tokens.ts';
import {
  handleRequest,
  type PipelineParts,
  type RequestResult,
} from '../../../src/gateway/pipeline.ts';
import { Refusal } from '../../../src/gateway/request/refusal.ts';
import type { RequestArguments } from '../../../src/gateway/request/request.ts';
import type { AskedClient } from '../../../src/gateway/steps/obtain-approval.ts';
import { type PoolOwner, UpstreamPools } from '../../../src/gateway/upstream/pools.ts';
import { ResponseBudget } from '../../../src/gateway/upstream/response-budget.ts';
import { hangUpBy } from '../http/hang-up.ts';
import { type LogLine, parseLines } from './gateway.ts';
import { PASSWORD } from './signed-in.ts';

export interface Pipeline {
  /** The result, or the refusal as the model would get it. */
  request(
    user: string,
    args: RequestArguments,
    client?: AbortSignal,
    asked?: AskedClient,
  ): Promise<Shown | ReturnType<Refusal['toObject']>>;
  /** Of the first replica. */
  readonly decisions: Decisions;
  readonly person: (user: string) => { user: string; incarnation: string };
  readonly store: Store;
  /** Takes the user for the one of that name in the other pipeline, as replicas agree on it. */
  adopt(other: Pipeline, user: string): void;
  /** Activates another version of the configuration. */
  reload(users: { name: string; [key: string]: unknown }[]): void;
  lines(): LogLine[];
  /** The calls of a user as the gateway keeps them, newest first. */
  recent(user: string): readonly RecentCall[];
  close(): void;
}

/** The result as the model would get it. */
type Shown = Omit<RequestResult, 'body'> & { readonly body: string };

export interface PipelineOptions {
  readonly resolve?: Resolver;
  readonly pools?: UpstreamPools;
  readonly now?: () => number;
  readonly own?: PipelineParts['own'];
  /** Of replicas, each of which takes the next call. */
  readonly stores?: readonly Store[] | undefined;
}

export function startPipeline(
  config: { server?: object; users: { name: string; [key: string]: unknown }[] },
  options: PipelineOptions = {},
): Pipeline {
  const server = { public_url: 'https://gateway.test', ...config.server };
  const load = (users: typeof config.users) =>
    loadConfig({ server, users: users.map((user) => ({ password: PASSWORD, ...user })) });
  const stores = options.stores ?? [new MemoryStore(options.now ? { now: options.now } : {})];
  let calls = 0;
  let written = '';
  const active = new ActiveConfig(load(config.users));
  const pools = options.pools ?? new UpstreamPools();
  const own = options.own ?? { origins: [], listeners: [], localAddresses: [] };
  const lookups = new Lookups(
    options.resolve ?? (() => Promise.reject(new Error('no lookup was expected'))),
  );
  const log = createLog({
    level: 'debug',
    clean: active.clean,
    write: (line) => {
      written += line;
    },
  });
  const tokens = new MintedTokens({ active, lookups, own, log, now: options.now ?? steadyNow });
  const recent = new RecentCalls();
  const sealKey = new Secret('seal key', 'k'.repeat(32));
  const replicas = stores.map((store) => ({
    store,
    ...openApprovals({
      ...{ store, shared: undefined, sealKey, log, now: options.now ?? steadyNow },
      publicUrl: server.public_url,
    }),
  }));
  const tripwires = new Tripwires({
    ...{ log, recent },
    onTripwire: () => active.config.server.onTripwire,
    freeze: async () => true,
  });
  const parts: PipelineParts = {
    active,
    approvals: replicas[0]!.approvals,
    pools,
    tokens,
    budget: new ResponseBudget(),
    store: stores[0]!,
    ...{ log, lookups, own, recent, tripwires },
  };
  return {
    decisions: replicas[0]!.decisions,
    person: (user) => ({ user, incarnation: active.incarnation(user)! }),
    store: stores[0]!,
    adopt: (other, user) => active.adoptIncarnation(user, other.person(user).incarnation),
    reload: (users) => {
      active.activate(load(users));
    },
    lines: () => parseLines(written),
    recent: (user) => recent.ofUser({ user, incarnation: active.incarnation(user) ?? '' }),
    close: () => pools.closeAll(),
    request: async (user, args, client = new AbortController().signal, asked = {}) => {
      const { result } = await handleRequest(
        { user, incarnation: active.incarnation(user) ?? '', clientId: 'client', signInId: 's' },
        args,
        { ...hangUpBy(client), onSent: (callback) => callback(), ...asked },
        { ...parts, ...replicas[calls++ % replicas.length]! },
      );
      if (result instanceof Refusal) return result.toObject();
      return { ...result, body: result.body.toString() };
    },
  };
}

/** Sends whatever the guard let pass to one upstream, and keeps what it was asked for. */
export class DivertedPools extends UpstreamPools {
  readonly asked: { owner: PoolOwner; origin: string; addresses: string[] }[] = [];
  readonly #pool: Pool;

  constructor(upstreamUrl: string) {
    super();
    this.#pool = new Pool(upstreamUrl);
  }

  override async for(
    owner: PoolOwner,
    origin: string,
    pinned: readonly PinnedAddress[],
  ): Promise<Pool> {
    this.asked.push({ owner, origin, addresses: pinned.map(({ text }) => text) });
    return this.#pool;
  }

  override closeAll(): void {
    void this.#pool.destroy();
  }
}

function loadConfig(config: object) {
  const directory = mkdtempSync(join(tmpdir(), 'pipeline-test-'));
  try {
    const path = join(directory, 'config.yaml');
    writeFileSync(path, JSON.stringify(config));
    const reading = readConfig(path, { env: {} });
    if (!reading.config) throw new Error(JSON.stringify(reading.problems.errors));
    return reading.config;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
