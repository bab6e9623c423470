/**
 * The configuration as the program uses it: everything resolved, parsed and validated.
 * `read-config.ts` makes it from the file; nothing else does.
 */

import type { Listen } from '../../core/config/environment.ts';
import type { MountedDecoys } from '../../core/config/persona-choice.ts';
import type { Rate } from '../../core/limits/rate.ts';
import type { Cidr } from '../../core/net/address.ts';
import type { OnTripwire } from '../../core/recent-calls/tripwires.ts';
import type { StoreAddress } from '../../core/redis/store-address.ts';
import type { Password } from '../../core/secrets/password.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import type { PathPattern } from '../request/path-pattern.ts';
import type { Template } from '../request/template.ts';
import type { MintedSecret } from './minted-secret.ts';
import type { Sign } from './sign.ts';

export const NOTIFY_FORMATS = ['ntfy', 'slack', 'discord', 'json'] as const;
export type NotifyFormat = (typeof NOTIFY_FORMATS)[number];

/** The methods a target may allow. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

export interface Config {
  readonly server: ServerConfig;
  readonly users: ReadonlyMap<string, User>;
}

export interface ServerConfig {
  readonly listen: Listen;
  /** Absolute, without a path and without a trailing slash. */
  readonly publicUrl: string;
  readonly maxResponseBytes: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly tokenTtlMs: number;
  readonly codeTtlMs: number;
  readonly loginRateLimit: Rate;
  /** Peers whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly Cidr[];
  /** Networks opened on purpose to requests that matched a configured target. */
  readonly allowNetworks: readonly Cidr[];
  /** Browser origins, besides our own and loopback, that may call `/mcp`. */
  readonly allowedOrigins: readonly string[];
  /** With the master keys of the honeytokens. Decoys answer before the 404. */
  readonly decoys?: MountedDecoys;
  /** Without `listen`, on the public listener. */
  readonly metrics?: { readonly listen: Listen | undefined; readonly key: Secret };
  /** Whether a call to a decoy target is only logged, or also ends its sign-in or freezes its key. */
  readonly onTripwire: OnTripwire;
  /** Whether people may sign in at `/console`. */
  readonly console: boolean;
  /** Where notifications of requests that wait for approval are sent. */
  readonly notify?: { readonly url: Secret; readonly format: NotifyFormat };
  /** What replicas share; without it, this process keeps everything in memory. */
  readonly store?: StoreAddress;
  /** Always set with a store: seals what clients bring back to another replica. */
  readonly sealKey?: Secret;
}

export interface User {
  readonly name: string;
  readonly password: Password;
  /** The second factor, in base32. */
  readonly totp: Secret | undefined;
  readonly allowAny: boolean;
  /** By name. The parts of a minted secret have a dot in their names, so that no template can use them. */
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly minted: ReadonlyMap<string, MintedSecret>;
  readonly targets: readonly Target[];
  /** For clients of the HTTP door. */
  readonly keys: readonly DoorKey[];
}

/** A key that a client of the HTTP door presents. Only its digest is kept. */
export interface DoorKey {
  readonly name: string;
  readonly user: string;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
  /** The ids of the targets it opens; absent is all of the user. */
  readonly targets: ReadonlySet<string> | undefined;
  /** Absent is never. */
  readonly expiresAt: number | undefined;
}

export interface Target {
  readonly id: string;
  readonly description: string;
  readonly baseUrl: BaseUrl;
  readonly methods: readonly Method[];
  readonly paths: readonly PathPattern[];
  /** Absent is unlimited. */
  readonly rateLimit?: Rate;
  readonly timeoutMs: number;
  /** Between two pieces of an answer that streams through the HTTP door. */
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly followRedirects: boolean;
  readonly inject: Inject;
  /** A tripwire: it is listed, and a call fails as in an outage. */
  readonly isDecoy?: true;
  /** Which of its requests need a person's approval; absent is none. */
  readonly approve?: Approve;
}

/** Whether the gateway has pages with a sign-in: the console, or those that approve requests. */
export function hasPages({ server, users }: Config): boolean {
  const asks = ({ targets }: User) => targets.some(({ approve }) => approve);
  return server.console || [...users.values()].some(asks);
}

export interface Approve {
  readonly methods: readonly Method[];
  readonly paths: readonly PathPattern[];
  /** How long a request waits for a decision, and how long a decision holds. */
  readonly ttlMs: number;
}

export interface BaseUrl {
  /** As the operator wrote it, as `list_targets` shows it. */
  readonly text: string;
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Decoded, from the root, without a trailing slash; empty for the root itself. */
  readonly path: string;
}

export interface Inject {
  /** Lower-case names. */
  readonly headers: ReadonlyMap<string, Template>;
  readonly query: ReadonlyMap<string, Template>;
  readonly body: readonly { readonly path: readonly string[]; readonly template: Template }[];
  readonly sign: Sign | undefined;
  /** Names of the secrets that a request to this target carries, for the audit line. */
  readonly secretNames: readonly string[];
  /** Those of them that are minted. */
  readonly mintedNames: readonly string[];
}
