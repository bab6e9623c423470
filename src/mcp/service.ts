/** What both protocol eras share; created when the endpoint is mounted. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../core/http/caller.ts';
import { steadyNow } from '../core/limits/steady-clock.ts';
import { describeError } from '../core/log/log.ts';
import { keyFor } from '../core/secrets/derive-key.ts';
import { RETRY_AFTER_S, StoreUnavailable } from '../core/store/shared-store.ts';
import type { BatchBudget } from './batch.ts';
import { RequestStates } from './elicitation/request-states.ts';
import { INTERNAL_ERROR, RpcError } from './jsonrpc.ts';
import { Listeners } from './listeners.ts';
import { capabilitiesOf, createMethods, type Methods } from './methods.ts';
import { type MirroredArgument, mirroredArguments } from './modern-headers.ts';
import type { McpOptions } from './options.ts';
import { localSessions, type SessionKeeper } from './session.ts';
import { SharedSessions } from './shared-sessions.ts';
import { type Pace, SlowCalls } from './slow-calls.ts';
import type { WatchResource } from './subscriptions.ts';

const SESSION_IDLE_MS = 60 * 60 * 1000;
const SESSIONS_PER_USER = 64;
const SESSIONS_TOTAL = 8_192;
const STREAMS_PER_USER = 32;
const KEEP_ALIVE_MS = 15_000;
const SLOW_CALL_MS = 10_000;
const UNREAD_MS = 30_000;

export interface Service<C extends Caller> {
  readonly methods: Methods<C>;
  readonly mirrored: ReadonlyMap<string, readonly MirroredArgument[]>;
  readonly sessions: SessionKeeper;
  readonly listeners: Listeners;
  /** Where the program's resources can be watched. */
  readonly watchResource: WatchResource | undefined;
  readonly batches: BatchBudget;
  readonly requestStates: RequestStates;
  readonly pace: Pace;
  readonly now: () => number;
  /** Whether the token of this request is still good. */
  readonly isAlive: (request: FastifyRequest) => Promise<boolean>;
  readonly info: object;
  /** The same with its icons, as JSON. */
  readonly serverInfo: string;
  /** The `_meta` member of every modern result. */
  readonly modernMeta: string;
  /** That of `server/discover`, which has the icons as well. */
  readonly discoverMeta: string;
  /** Capabilities and instructions: the members that `initialize` and `server/discover` share. */
  about(caller: C): Promise<string>;
  /** An error as the wire may see it; the cause of an unexpected one goes to the log. */
  toRpcError(error: unknown, method: string): RpcError;
}

export function createService<C extends Caller>(options: McpOptions<C>): Service<C> {
  const { timings = {}, log } = options;
  const now = options.now ?? steadyNow;
  const keepAliveMs = timings.keepAliveMs ?? KEEP_ALIVE_MS;
  const capabilities = JSON.stringify(capabilitiesOf(options));
  const { serverInfo: info, icons } = options;
  const serverInfo = JSON.stringify({ ...info, icons });
  const limits = {
    idleMs: timings.sessionIdleMs ?? SESSION_IDLE_MS,
    perUser: SESSIONS_PER_USER,
    total: SESSIONS_TOTAL,
  };
  const mirrored = options.tools.map(
    (tool) => [tool.name, mirroredArguments(tool.inputSchema)] as const,
  );
  return {
    methods: createMethods(options),
    mirrored: new Map(mirrored.filter(([, names]) => names.length > 0)),
    sessions: options.shared
      ? new SharedSessions(options.shared, limits, now)
      : localSessions(limits, now),
    listeners: new Listeners(STREAMS_PER_USER, keepAliveMs),
    watchResource: options.resources?.watch?.bind(options.resources),
    batches: { letters: 0 },
    requestStates: new RequestStates(keyFor('request states', options.sealKey), now),
    pace: {
      keepAliveMs,
      unreadMs: timings.unreadMs ?? UNREAD_MS,
      slowCalls: new SlowCalls(timings.slowCallMs ?? SLOW_CALL_MS),
    },
    now,
    isAlive: options.isAlive,
    info,
    serverInfo,
    modernMeta: metaOf(JSON.stringify(info)),
    discoverMeta: metaOf(serverInfo),
    about: async (caller) => {
      const instructions = JSON.stringify(await options.instructions(caller));
      return `"capabilities":${capabilities},"instructions":${instructions}`;
    },
    toRpcError: (error, method) => {
      if (error instanceof RpcError) return error;
      if (error instanceof StoreUnavailable) {
        const options = { status: 503, retryAfterS: RETRY_AFTER_S };
        return new RpcError(INTERNAL_ERROR, error.message, options);
      }
      log.error('internal_error', { mcp_method: method, message: describeError(error) });
      return new RpcError(INTERNAL_ERROR, 'the server failed; see its log');
    },
  };
}

function metaOf(serverInfo: string): string {
  return `"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}}`;
}
