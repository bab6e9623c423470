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
import { ON_TRIPWIRE } from '../../core/recent-calls/tripwires.ts';
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
const MAX_RESPONSE_BYTES = 1024 ** 4;
const LISTEN_FORM = 'a listen address such as ":2019", "127.0.0.1:2019" or "[::1]:2019"';
const URL_FORM = `${PUBLIC_URL_FORM} "https://gateway.example.com"`;
const VARIABLE_FORM = 'the name of an environment variable';
const CIDR_FORM = 'a network such as "10.0.0.0/8", "fd00::/8" or "192.168.1.7"';

const SHARED_VARIABLES = { store: 'GATEWAY_STORE', sealKey: 'GATEWAY_SEAL_KEY' } as const;

/** The limits are present even if `complete` is not: reading users and targets needs them. */
export interface ServerReading
  extends Pick<
    ServerConfig,
    'allowNetworks' | 'maxResponseBytes' | 'requestTimeoutMs' | 'idleTimeoutMs'
  > {
  readonly complete: ServerConfig | undefined;
}

export function readServer(
  node: YamlNode | undefined,
  root: YamlNode,
  sources: ValueSources,
): ServerReading {
  const at = node ?? root;
  const read =
    node && !node.isNull
      ? node.read({
          listen: self,
          public_url: self,
          max_response_bytes: responseBytes,
          request_timeout: duration,
          idle_timeout: duration,
          token_ttl: lifetime,
          code_ttl: lifetime,
          login_rate_limit: rate,
          trusted_proxies: readProxies,
          allow_networks: (item) => listOf(item, parseCidr, CIDR_FORM),
          allowed_origins: (item) => listOf(item, originOf, ORIGIN_FORM, quoteUrl),
          metrics: (item) => readMetrics(item, sources),
          decoys: (item) => readDecoys(item, sources),
          exec_env: (item) => listOf(item, variableName, VARIABLE_FORM),
          store: self,
          seal_key: self,
          on_tripwire: (item) => item.oneOf(ON_TRIPWIRE),
          console: (item) => item.boolean(),
          notify: (item) => readNotify(item, sources),
        })
      : undefined;
  sources.exec?.allowEnvironment(read?.exec_env ?? []);

  /** The environment overrides the file. */
  const setting = <T>(
    name: string,
    given: YamlNode | undefined,
    parse: (text: string) => T | undefined,
    form: string,
    absent: () => T | undefined,
  ): T | undefined => {
    const text = sources.env[name];
    if (!text) return given ? given.parsed(parse, form, quoteUrl) : absent();
    const message = `the environment variable ${name} is ${quoteUrl(text)}, not ${form}`;
    return parse(text) ?? at.problem(message);
  };
  const listen = setting('GATEWAY_LISTEN', read?.listen, listenOf, LISTEN_FORM, () =>
    listenOf(DEFAULTS.listen),
  );
  const publicUrl = setting('GATEWAY_PUBLIC_URL', read?.public_url, publicUrlOf, URL_FORM, () =>
    at.problem(`public_url is missing; set server.public_url to ${URL_FORM}`),
  );
  const unencrypted = publicUrl === undefined ? undefined : publicUrlWarning(publicUrl);
  if (unencrypted !== undefined) (read?.public_url ?? at).warn(unencrypted);

  const limits = {
    allowNetworks: read?.allow_networks ?? [],
    maxResponseBytes: read?.max_response_bytes ?? DEFAULTS.maxResponseBytes,
    requestTimeoutMs: read?.request_timeout ?? DEFAULTS.requestTimeoutMs,
    idleTimeoutMs: read?.idle_timeout ?? DEFAULTS.idleTimeoutMs,
  };
  const rest = {
    ...limits,
    tokenTtlMs: read?.token_ttl ?? DEFAULTS.tokenTtlMs,
    codeTtlMs: read?.code_ttl ?? DEFAULTS.codeTtlMs,
    loginRateLimit: read?.login_rate_limit ?? parseRate(DEFAULTS.loginRateLimit)!,
    trustedProxies: read?.trusted_proxies ?? [],
    allowedOrigins: read?.allowed_origins ?? [],
    onTripwire: read?.on_tripwire ?? 'log',
    console: read?.console ?? true,
    ...(read?.metrics && { metrics: read.metrics }),
    ...(read?.decoys && { decoys: read.decoys }),
    ...(read?.notify && { notify: read.notify }),
    ...readShared(at, { store: read?.store, sealKey: read?.seal_key }, sources),
  };
  return { ...limits, complete: listen && publicUrl ? { listen, publicUrl, ...rest } : undefined };
}

/** The reader of a key whose value needs others, or may be overridden. */
export function self(node: YamlNode): YamlNode {
  return node;
}

function variableName(text: string): string | undefined {
  return /^[A-Za-z_]\w{0,127}$/.test(text) ? text : undefined;
}

export function duration(node: YamlNode): number | undefined {
  return node.parsed(parseDuration, DURATION_FORM);
}

function lifetime(node: YamlNode): number | undefined {
  return node.parsed(parseLifetime, LIFETIME_FORM);
}

export function rate(node: YamlNode): Rate | undefined {
  return node.parsed(parseRate, RATE_FORM);
}

export function responseBytes(node: YamlNode): number | undefined {
  return node.integer(1, MAX_RESPONSE_BYTES);
}

function readMetrics(node: YamlNode, sources: ValueSources): ServerConfig['metrics'] {
  const read = node.read(
    {
      listen: (item) => item.parsed(listenOf, LISTEN_FORM),
      key: (item) => readSecret('metrics key', item, sources),
    },
    { key: 'metrics are never served without one' },
  );
  if (!read?.key) return undefined;
  const problem = metricsKeyProblem(read.key);
  if (problem) return read.nodes.key?.problem(problem);
  return { listen: read.listen, key: read.key };
}

function readDecoys(node: YamlNode, sources: ValueSources): ServerConfig['decoys'] {
  const read = node.read(
    {
      key: (item) => readDecoysKey(item, sources),
      old_keys: (item) => item.items().flatMap((old) => readDecoysKey(old, sources) ?? []),
      file: (item) => item.string(),
      persona: readPersonaChoice,
    },
    { key: 'honeytokens are encrypted with it' },
  );
  if (!read?.key) return undefined;
  const { key, old_keys: oldKeys = [], file, persona } = read;
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
  node: YamlNode,
  parse: (text: string) => T | undefined,
  form: string,
  show?: (text: string) => string,
): T[] {
  if (node.isNull) return [];
  return node.items().flatMap((item) => item.parsed(parse, form, show) ?? []);
}

function readProxies(node: YamlNode): Cidr[] {
  if (node.isNull) return [];
  return node.items().flatMap((item) => {
    const text = item.string();
    const proxy = text === undefined ? [] : readTrustedProxy(text);
    return typeof proxy === 'string' ? (item.problem(proxy) ?? []) : proxy;
  });
}
