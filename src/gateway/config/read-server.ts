/** Reads `server`, with the overrides of the environment. */

import {
  DURATION_FORM,
  LIFETIME_FORM,
  parseDuration,
  parseLifetime,
} from '../../core/config/duration.ts';
import { listenOf } from '../../core/config/environment.ts';
import { readPersonaChoice } from '../../core/config/persona-choice.ts';
import { quoteUrl } from '../../core/config/problems.ts';
import { readTrustedProxy } from '../../core/config/trusted-proxies.ts';
import { resolveValue, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import {
  ORIGIN_FORM,
  originOf,
  PUBLIC_URL_FORM,
  publicUrlOf,
  publicUrlWarning,
} from '../../core/http/http-url.ts';
import { metricsKeyProblem } from '../../core/http/metrics.ts';
import { parseRate, RATE_FORM, type Rate } from '../../core/limits/rate.ts';
import { type Cidr, parseCidr } from '../../core/net/address.ts';
import { ON_TRIPWIRE, type OnTripwire } from '../../core/recent-calls/tripwires.ts';
import {
  readSharedSettings,
  type SharedSetting,
  type SharedSettings,
} from '../../core/redis/shared-settings.ts';
import { MIN_KEY_LENGTH, type Secret } from '../../core/secrets/secret.ts';
import type { ServerConfig } from './config.ts';
import { readNotify } from './read-notify.ts';
import { readSecret } from './read-secret.ts';

const DEFAULTS = {
  listen: ':2019',
  maxResponseBytes: 1_048_576,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 5 * 60_000,
  tokenTtlMs: 12 * 3_600_000,
  codeTtlMs: 60_000,
  loginRateLimit: '10/m',
} as const;

/** 1 TiB, for answers that stream through the HTTP door. Over MCP an answer has at most 32 MiB. */
export const MAX_RESPONSE_BYTES = 1024 ** 4;
const LISTEN_FORM = 'a listen address such as ":2019", "127.0.0.1:2019" or "[::1]:2019"';
const URL_FORM = `${PUBLIC_URL_FORM} "https://gateway.example.com"`;
const VARIABLE_FORM = 'the name of an environment variable';
const CIDR_FORM = 'a network such as "10.0.0.0/8", "fd00::/8" or "192.168.1.7"';

const SHARED_VARIABLES = { store: 'GATEWAY_STORE', sealKey: 'GATEWAY_SEAL_KEY' } as const;

const KEYS = [
  'listen',
  'public_url',
  'max_response_bytes',
  'request_timeout',
  'idle_timeout',
  'token_ttl',
  'code_ttl',
  'login_rate_limit',
  'trusted_proxies',
  'allow_networks',
  'allowed_origins',
  'metrics',
  'decoys',
  'exec_env',
  'store',
  'seal_key',
  'on_tripwire',
  'console',
  'notify',
] as const;

/** The limits are present even if `complete` is not: reading users and targets needs them. */
export interface ServerReading {
  readonly complete: ServerConfig | undefined;
  readonly allowNetworks: ServerConfig['allowNetworks'];
  readonly maxResponseBytes: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

export function readServer(
  node: YamlNode | undefined,
  root: YamlNode,
  sources: ValueSources,
): ServerReading {
  const at = node ?? root;
  const fields = (node?.isNull ? undefined : node?.fields(KEYS)) ?? {};
  const env = sources.env;

  const listen = env.GATEWAY_LISTEN
    ? fromEnvironment(at, 'GATEWAY_LISTEN', env.GATEWAY_LISTEN, listenOf, LISTEN_FORM)
    : fields.listen
      ? fields.listen.parsed(listenOf, LISTEN_FORM)
      : listenOf(DEFAULTS.listen);
  const publicUrl = env.GATEWAY_PUBLIC_URL
    ? fromEnvironment(at, 'GATEWAY_PUBLIC_URL', env.GATEWAY_PUBLIC_URL, publicUrlOf, URL_FORM)
    : fields.public_url
      ? fields.public_url.parsed(publicUrlOf, URL_FORM, quoteUrl)
      : at.problem(`public_url is missing; set server.public_url to ${URL_FORM}`);

  const unencrypted = publicUrl === undefined ? undefined : publicUrlWarning(publicUrl);
  if (unencrypted !== undefined) (fields.public_url ?? at).warn(unencrypted);

  const maxResponseBytes =
    fields.max_response_bytes?.integer(1, MAX_RESPONSE_BYTES) ?? DEFAULTS.maxResponseBytes;
  const requestTimeoutMs = duration(fields.request_timeout) ?? DEFAULTS.requestTimeoutMs;
  const idleTimeoutMs = duration(fields.idle_timeout) ?? DEFAULTS.idleTimeoutMs;
  const allowNetworks = listOf(fields.allow_networks, parseCidr, CIDR_FORM);
  const metrics = fields.metrics && readMetrics(fields.metrics, sources);
  sources.exec?.allowEnvironment(listOf(fields.exec_env, variableName, VARIABLE_FORM));
  const decoys = fields.decoys && readDecoys(fields.decoys, sources);
  const notify = fields.notify && readNotify(fields.notify, sources);
  const rest = {
    maxResponseBytes,
    requestTimeoutMs,
    idleTimeoutMs,
    tokenTtlMs: lifetime(fields.token_ttl) ?? DEFAULTS.tokenTtlMs,
    codeTtlMs: lifetime(fields.code_ttl) ?? DEFAULTS.codeTtlMs,
    loginRateLimit: rate(fields.login_rate_limit) ?? parseRate(DEFAULTS.loginRateLimit)!,
    trustedProxies: readProxies(fields.trusted_proxies),
    allowNetworks,
    allowedOrigins: listOf(fields.allowed_origins, originOf, ORIGIN_FORM, quoteUrl),
    onTripwire: fields.on_tripwire?.parsed(onTripwire, 'log or freeze') ?? 'log',
    console: fields.console?.boolean() ?? true,
    ...(metrics ? { metrics } : {}),
    ...(decoys ? { decoys } : {}),
    ...(notify ? { notify } : {}),
    ...readShared(at, { store: fields.store, sealKey: fields.seal_key }, sources),
  };
  const complete = listen && publicUrl ? { listen, publicUrl, ...rest } : undefined;
  return { complete, allowNetworks, maxResponseBytes, requestTimeoutMs, idleTimeoutMs };
}

function onTripwire(text: string): OnTripwire | undefined {
  return ON_TRIPWIRE.find((known) => known === text);
}

function variableName(text: string): string | undefined {
  return /^[A-Za-z_]\w{0,127}$/.test(text) ? text : undefined;
}

export function duration(node: YamlNode | undefined): number | undefined {
  return node?.parsed(parseDuration, DURATION_FORM);
}

function lifetime(node: YamlNode | undefined): number | undefined {
  return node?.parsed(parseLifetime, LIFETIME_FORM);
}

export function rate(node: YamlNode | undefined): Rate | undefined {
  return node?.parsed(parseRate, RATE_FORM);
}

function readMetrics(node: YamlNode, sources: ValueSources): ServerConfig['metrics'] {
  const fields = node.fields(['listen', 'key']);
  if (!fields) return undefined;
  const listen = fields.listen?.parsed(listenOf, LISTEN_FORM);
  if (!fields.key) return node.problem('key is missing; metrics are never served without one');
  const key = readSecret('metrics key', fields.key, sources);
  const problem = key && metricsKeyProblem(key);
  if (problem) return fields.key.problem(problem);
  return key && (listen ? { listen, key } : { key });
}

function readDecoys(node: YamlNode, sources: ValueSources): ServerConfig['decoys'] {
  const fields = node.fields(['key', 'old_keys', 'file', 'persona']);
  if (!fields) return undefined;
  if (!fields.key) return node.problem('key is missing; honeytokens are encrypted with it');
  const key = readDecoysKey(fields.key, sources);
  const oldKeys = (fields.old_keys?.items() ?? []).flatMap(
    (item) => readDecoysKey(item, sources) ?? [],
  );
  const file = fields.file?.string();
  const persona = fields.persona && readPersonaChoice(fields.persona);
  if (key === undefined) return undefined;
  return { key, oldKeys, ...(file !== undefined && { file }), ...(persona && { persona }) };
}

/** The environment overrides the file. */
function readShared(
  at: YamlNode,
  nodes: Readonly<Record<SharedSetting, YamlNode | undefined>>,
  sources: ValueSources,
): SharedSettings {
  const onProblem = (of: SharedSetting, message: string): undefined => {
    const name = SHARED_VARIABLES[of];
    if (sources.env[name]) return at.problem(`the environment variable ${name}: ${message}`);
    return (nodes[of] ?? at).problem(message);
  };
  const resolved = (of: SharedSetting): string | undefined => {
    const raw = sources.env[SHARED_VARIABLES[of]] || nodes[of]?.sensitiveString();
    const value = raw === undefined ? undefined : resolveValue(raw, sources, false);
    if (value?.kind === 'problem') return onProblem(of, value.message);
    // A validation that runs no programs does not report the key as missing.
    if (value?.kind === 'skipped') return of === 'sealKey' ? 'not read'.padEnd(64) : undefined;
    return value?.text;
  };
  const texts = { store: resolved('store'), sealKey: resolved('sealKey') };
  return readSharedSettings(texts, onProblem);
}

function readDecoysKey(node: YamlNode, sources: ValueSources): Secret | undefined {
  const key = readSecret('decoys key', node, sources);
  if (!key || key.length >= MIN_KEY_LENGTH) return key;
  return node.problem(`must have at least ${MIN_KEY_LENGTH} characters`);
}

function listOf<T>(
  node: YamlNode | undefined,
  parse: (text: string) => T | undefined,
  form: string,
  show?: (text: string) => string,
): T[] {
  if (!node || node.isNull) return [];
  return node.items().flatMap((item) => {
    const value = item.parsed(parse, form, show);
    return value === undefined ? [] : [value];
  });
}

function readProxies(node: YamlNode | undefined): Cidr[] {
  if (!node || node.isNull) return [];
  return node.items().flatMap((item) => {
    const text = item.string();
    const proxy = text === undefined ? [] : readTrustedProxy(text);
    return typeof proxy === 'string' ? (item.problem(proxy) ?? []) : proxy;
  });
}

function fromEnvironment<T>(
  at: YamlNode,
  name: string,
  text: string,
  parse: (text: string) => T | undefined,
  form: string,
): T | undefined {
  return (
    parse(text) ?? at.problem(`the environment variable ${name} is ${quoteUrl(text)}, not ${form}`)
  );
}
