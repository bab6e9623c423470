/** Reads a secret that is minted: `oauth2`, `jwt` or `github_app`. */
import { createHash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDuration } from '../../core/config/duration.ts';
import { quoteUrl } from '../../core/config/problems.ts';
import { readFailure, unexpandedAdvice, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import type { Cidr } from '../../core/net/address.ts';
import { blockedBaseUrlHost } from '../../core/net/guard.ts';
import { isLoopbackName } from '../../core/net/loopback-name.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import {
  type GithubAppSource,
  JWT_ALGORITHMS,
  type JwtSource,
  type MintedSecret,
  type OAuth2Source,
} from './minted-secret.ts';
import { readSecret } from './read-secret.ts';
import { signingKey } from './signing-key.ts';

const GRANTS = ['client_credentials', 'refresh_token', 'jwt_bearer'] as const;
const CLIENT_AUTH = ['basic', 'post'] as const;
/** The gateway sets these: RFC 7519, section 4.1. */
const OWN_CLAIMS = ['iat', 'nbf', 'exp', 'jti'];
const DEFAULT_LIFETIME_MS = 10 * 60_000;
const MIN_LIFETIME_MS = 60_000;
const MAX_LIFETIME_MS = 24 * 3_600_000;
const LIFETIME_FORM = 'a duration from "1m" to "24h"';
const ID = { pattern: /^[\w.-]{1,128}$/, expected: 'an id of letters, digits, dots and dashes' };
const TEXT = { pattern: /^[^\0-\x1f\x7f]{1,4096}$/, expected: 'text on one line' };

export interface MintedReading {
  readonly minted: MintedSecret;
  /** What it is made from, to be redacted like every secret. */
  readonly parts: readonly Secret[];
}

export function readMinted(
  name: string,
  node: YamlNode,
  sources: ValueSources,
  allowNetworks: readonly Cidr[],
): MintedReading | undefined {
  const fields = node.fields(['oauth2', 'jwt', 'github_app']);
  if (!fields) return undefined;
  const [kind, ...others] = Object.keys(fields) as (keyof typeof fields)[];
  // An unknown key has been reported.
  if (!kind && node.entries().length > 0) return undefined;
  if (!kind || others.length > 0) {
    return node.problem('needs exactly one of oauth2, jwt, github_app');
  }
  const reader = new SourceReader(name, sources, allowNetworks);
  const source = reader[kind](fields[kind]!);
  if (!source) return undefined;
  const text = `${node.sourceText}\n${JSON.stringify(source)}`;
  const fingerprint = createHash('sha256').update(text).digest('base64url');
  return { minted: { name, fingerprint, source }, parts: reader.parts };
}

class SourceReader {
  readonly parts: Secret[] = [];
  readonly #name: string;
  readonly #sources: ValueSources;
  readonly #allowNetworks: readonly Cidr[];

  constructor(name: string, sources: ValueSources, allowNetworks: readonly Cidr[]) {
    this.#name = name;
    this.#sources = sources;
    this.#allowNetworks = allowNetworks;
  }

  oauth2(node: YamlNode): OAuth2Source | undefined {
    const fields = node.fields([
      'grant',
      'token_url',
      'client_id',
      'client_secret',
      'client_auth',
      'scope',
      'parameters',
      'refresh_token',
      'authorize_url',
      'jwt',
    ]);
    if (!fields) return undefined;
    const type = oneOf(fields.grant, GRANTS) ?? missing(node, fields.grant, 'grant');
    const tokenUrl = this.#url(fields.token_url) ?? missing(node, fields.token_url, 'token_url');
    const clientId = fields.client_id?.string(TEXT);
    const clientSecret = this.#part('client_secret', fields.client_secret);
    const clientAuth = oneOf(fields.client_auth, CLIENT_AUTH) ?? 'basic';
    const parameters = readParameters(fields.scope, fields.parameters);
    const grant = type && this.#grant(type, node, fields, tokenUrl);
    if (type !== 'jwt_bearer' && !fields.client_id) missing(node, undefined, 'client_id');
    if (type === 'client_credentials' && !fields.client_secret) {
      missing(node, undefined, 'client_secret');
    }
    if (!grant || !tokenUrl) return undefined;
    return {
      ...{ kind: 'oauth2', grant, tokenUrl, clientAuth, parameters },
      ...(clientId && { clientId }),
      ...(clientSecret && { clientSecret }),
    };
  }

  #grant(
    type: (typeof GRANTS)[number],
    node: YamlNode,
    fields: Partial<Record<'refresh_token' | 'authorize_url' | 'jwt', YamlNode>>,
    tokenUrl: string | undefined,
  ): OAuth2Source['grant'] | undefined {
    const onlyFor = { refresh_token: 'refresh_token', authorize_url: 'refresh_token' } as const;
    for (const [key, grant] of Object.entries({ ...onlyFor, jwt: 'jwt_bearer' } as const)) {
      const field = fields[key as keyof typeof fields];
      if (type !== grant) field?.problem(`is only for the grant ${grant}`);
    }
    if (type === 'client_credentials') return { type };
    if (type === 'jwt_bearer') {
      const jwt = fields.jwt ? this.jwt(fields.jwt) : missing(node, undefined, 'jwt');
      const claims = { aud: tokenUrl, ...jwt?.claims };
      return jwt && { type, jwt: { ...jwt, claims } };
    }
    const authorizeUrl = fields.authorize_url && this.#url(fields.authorize_url);
    const file = fields.refresh_token
      ? readTokenFile(fields.refresh_token)
      : missing(node, undefined, 'refresh_token');
    return file === undefined ? undefined : { type, file, ...(authorizeUrl && { authorizeUrl }) };
  }

  jwt(node: YamlNode): JwtSource | undefined {
    const fields = node.fields(['algorithm', 'key', 'key_id', 'claims', 'lifetime']);
    if (!fields) return undefined;
    const algorithm =
      oneOf(fields.algorithm, JWT_ALGORITHMS) ?? missing(node, fields.algorithm, 'algorithm');
    const key = this.#part('key', fields.key) ?? missing(node, fields.key, 'key');
    if (algorithm && key) checkKey(fields.key!, algorithm, key);
    const keyId = fields.key_id?.string(TEXT);
    const lifetimeMs = fields.lifetime?.parsed(lifetime, LIFETIME_FORM) ?? DEFAULT_LIFETIME_MS;
    const claims = readClaims(fields.claims);
    if (!algorithm || !key) return undefined;
    return { kind: 'jwt', algorithm, key, claims, lifetimeMs, ...(keyId && { keyId }) };
  }

  github_app(node: YamlNode): GithubAppSource | undefined {
    const fields = node.fields(['app_id', 'installation_id', 'private_key', 'api_url']);
    if (!fields) return undefined;
    const appId = idOf(fields.app_id) ?? missing(node, fields.app_id, 'app_id');
    const installationId =
      idOf(fields.installation_id) ?? missing(node, fields.installation_id, 'installation_id');
    const privateKey =
      this.#part('private_key', fields.private_key) ??
      missing(node, fields.private_key, 'private_key');
    if (privateKey) checkKey(fields.private_key!, 'RS256', privateKey);
    const apiUrl = fields.api_url ? this.#url(fields.api_url) : 'https://api.github.com';
    if (!appId || !installationId || !privateKey || !apiUrl) return undefined;
    return {
      ...{ kind: 'github_app', appId, installationId, privateKey },
      apiUrl: apiUrl.replace(/\/+$/, ''),
    };
  }

  /** A secret that the token is made from; its name has a dot, so that no template can name it. */
  #part(key: string, node: YamlNode | undefined): Secret | undefined {
    const secret = node && readSecret(`${this.#name}.${key}`, node, this.#sources);
    if (secret) this.parts.push(secret);
    return secret;
  }

  #url(node: YamlNode | undefined): string | undefined {
    const text = node?.string();
    if (!node || text === undefined) return undefined;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
      const form = 'an absolute http or https URL without credentials and fragment';
      return node.problem(`${node.quoted(quoteUrl)} is not ${form}`);
    }
    const blocked = blockedBaseUrlHost(url.hostname, this.#allowNetworks);
    if (blocked) {
      return node.problem(
        `leads to a ${blocked} address; if you mean it, open its network in server.allow_networks`,
      );
    }
    if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
      node.warn('is not https: the credentials are sent unencrypted');
    }
    return url.href;
  }
}

/** Says that a key is missing, unless it is there and was found wrong. */
function missing(node: YamlNode, field: YamlNode | undefined, key: string): undefined {
  return field ? undefined : node.problem(`${key} is missing`);
}

function oneOf<T extends string>(node: YamlNode | undefined, known: readonly T[]): T | undefined {
  const find = (text: string) => known.find((one) => one === text);
  return node?.parsed(find, `one of ${known.join(', ')}`);
}

/** An id is often written as a number. */
function idOf(node: YamlNode | undefined): string | undefined {
  if (node && /^\d{1,15}$/.test(node.sourceText)) return node.sourceText;
  return node?.string(ID);
}

function lifetime(text: string): number | undefined {
  const ms = parseDuration(text) ?? 0;
  return ms >= MIN_LIFETIME_MS && ms <= MAX_LIFETIME_MS ? ms : undefined;
}

/** A value may be sensitive by mistake, so no message quotes it. */
function readParameters(
  scope: YamlNode | undefined,
  parameters: YamlNode | undefined,
): [string, string][] {
  const read: [string, string][] = [];
  const text = scope?.string(TEXT);
  if (text !== undefined) read.push(['scope', text]);
  for (const [name, item] of parameters?.entries() ?? []) {
    const value = item.sensitiveString();
    if (OF_THE_GRANT.has(name)) item.problem('has a key of its own, or is set by the gateway');
    else if (value !== undefined) read.push([name, value]);
  }
  return read;
}

const OF_THE_GRANT: ReadonlySet<string> = new Set([
  ...['grant_type', 'scope', 'client_id', 'client_secret', 'refresh_token', 'assertion'],
  ...['client_assertion', 'client_assertion_type'],
]);

function readClaims(node: YamlNode | undefined): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const [name, item] of node?.entries() ?? []) {
    if (OWN_CLAIMS.includes(name)) item.problem('is set by the gateway');
    else claims[name] = item.isList ? item.items().map((one) => one.scalar()) : item.scalar();
  }
  return claims;
}

/** Whether the key is of the kind that the algorithm needs. */
function checkKey(node: YamlNode, algorithm: JwtSource['algorithm'], key: Secret): void {
  if (algorithm === 'HS256') {
    // RFC 7518, section 3.2.
    if (key.length < 32) node.problem('must have at least 32 characters for HS256');
    return;
  }
  const read = signingKey(algorithm, key);
  const kinds = { RS256: 'rsa', ES256: 'ec', EdDSA: 'ed25519' } as const;
  if (!read) node.problem('is not an unencrypted private key in PEM');
  else if (read.asymmetricKeyType !== kinds[algorithm]) {
    node.problem(`is no key for ${algorithm}, which needs one of the type ${kinds[algorithm]}`);
  } else if (algorithm === 'ES256' && read.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    node.problem('is no key for ES256, which needs the curve P-256');
  } else if (algorithm === 'RS256' && (read.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    node.problem('is too short for RS256, which needs 2048 bits');
  }
}

/** The path behind `file:`; the file is replaced when the provider rotates the token. */
function readTokenFile(node: YamlNode): string | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const path = raw.startsWith('file:') ? raw.slice('file:'.length) : '';
  if (path === '') return node.problem('must be file: and a path, since providers rotate it');
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    const reason = `${readFailure(error)}${unexpandedAdvice(path)}`;
    return node.problem(`the folder of the file must be writable: ${reason}`);
  }
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) {
    node.warn('the file does not exist yet; make it with: gateway connect <user>/<secret>');
    return path;
  }
  if (!stat.isFile()) return node.problem('the file is not a regular file');
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return path;
  } catch (error) {
    return node.problem(`the file must be readable and writable: ${readFailure(error)}`);
  }
}
