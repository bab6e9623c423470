/** What a program passes to the MCP endpoint that it mounts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../core/http/caller.ts';
import type { Log } from '../core/log/log.ts';
import type { Icon } from '../core/pages/icons.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import type { Complete, PromptProvider, ResourceProvider, SkillProvider } from './provider.ts';
import type { Tool } from './tool.ts';

export type ForbiddenCode = 'forbidden_host' | 'forbidden_origin';

export interface McpOptions<C extends Caller> {
  readonly publicUrl: string;
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** Shown by clients beside the name of the server. */
  readonly icons?: readonly Icon[];
  /** Some clients cut these at 2,048 characters. */
  readonly instructions: (caller: C) => string | Promise<string>;
  readonly tools: readonly Tool<C>[];
  readonly resources?: ResourceProvider<C>;
  readonly prompts?: PromptProvider<C>;
  readonly complete?: Complete<C>;
  /** Their files are among the resources. */
  readonly skills?: SkillProvider<C>;
  /** The authenticated caller; where there is none, sends the 401 and returns `undefined`. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<C | undefined>;
  /** Whether the token of an admitted request is still valid; sends nothing. */
  readonly isAlive: (request: FastifyRequest) => Promise<boolean>;
  /** Called when a request is refused for its `Host` or `Origin` header, to write its audit line. */
  readonly onForbidden?: (request: FastifyRequest, error: ForbiddenCode) => void;
  /** Origins that may call beside our own and loopback. */
  readonly allowedOrigins: () => readonly string[];
  readonly log: Log;
  readonly now?: () => number;
  /** Where replicas share their sessions. */
  readonly shared?: SharedStore | undefined;
  /** Replicas that share their sessions share this key; without it, one of this process. */
  readonly sealKey?: Secret | undefined;
  /** Shorter in tests. */
  readonly timings?: {
    readonly keepAliveMs?: number;
    readonly unreadMs?: number;
    readonly slowCallMs?: number;
    readonly sessionIdleMs?: number;
  };
}
