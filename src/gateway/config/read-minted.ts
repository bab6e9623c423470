/** Reads a secret that is minted: `oauth2`, `jwt` or `github_app`. */
import { hash } from 'node:crypto';
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
import { self } from './read-server.ts';
import { signingKey } from './signing-key.ts';

const GRANTS = ['client_credentials', 'refresh_token', 'jwt_bearer'] as const;
/** The keys that a grant needs besides `token_url`. */
const NEEDED = {
  client_credentials: ['client_id', 'client_secret'],
  refresh_token: ['client_id', 'refresh_token'],
  jwt_bearer: ['jwt'],
} as const;
const ONLY_FOR = {
  refresh_token: 'refresh_token',
  authorize_url: 'refresh_token',
  jwt: 'jwt_bearer',
} as const;
const CLIENT_AUTH = ['basic', 'post'] as const;
/** The gateway sets these: RFC 7519, section 4.1. */
const OWN_CLAIMS = ['iat', 'nbf', 'exp', 'jti'];
const DEFAULT_LIFETIME_MS = 10 * 60_000;
const MIN_LIFETIME_MS = 60_000;
const MAX_LIFETIME_MS = 24 * 3_600_000;
const LIFETIME_FORM = 'a duration from "1m" to "24h"';
const ID = { pattern: /^[\w.-]{1,128}$/, expected: 'an id of letters, digits, dots and dashes' };
const TEXT = { pattern: /^[^\0-\x1f\x7f]{1,4096}$/, expected: 'text on one line' };

interface MintedReading {
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
  const reader = new SourceReader(name, sources, allowNetworks);
  const read = node.read({
    oauth2: (item) => reader.oauth2(item),
    jwt: (item) => reader.jwt(item),
    github_app: (item) => reader.githubApp(item),
  });
  if (!read) return undefined;
  const { nodes, ...sourcesRead } = read;
  const count = Object.keys(nodes).length;
  // An unknown key has been reported.
  if (count === 0 && node.entries().length > 0) return undefined;
  if (count !== 1) return node.problem('needs exactly one of oauth2, jwt, github_app');
  const [source] = Object.values(sourcesRead).filter((one) => one !== undefined);
  if (!source) return undefined;
  const fingerprint = hash('sha256', `${node.sourceText}\n${JSON.stringify(source)}`, 'base64url');
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
    const read = node.read(
      {
        grant: (item) => item.oneOf(GRANTS),
        token_url: (item) => this.#url(item),
        client_id: (item) => item.string(TEXT),
        client_secret: (item) => this.#part('client_secret', item),
        client_auth: (item) => item.oneOf(CLIENT_AUTH),
        scope: (item) => item.string(TEXT),
        parameters: readParameters,
        refresh_token: self,
        authorize_url: self,
        jwt: self,
      },
      { grant: '', token_url: '' },
    );
    if (!read) return undefined;
    const { token_url: tokenUrl, client_id: clientId, client_secret: clientSecret } = read;
    const parameters: [string, string][] = read.parameters ?? [];
    if (read.scope !== undefined) parameters.unshift(['scope', read.scope]);
    for (const key of read.grant ? NEEDED[read.grant] : []) {
      if (!read.nodes[key]) node.problem(`${key} is missing`);
    }
    const grant = read.grant && this.#grant(read.grant, read, tokenUrl);
    if (!grant || !tokenUrl) return undefined;
    const clientAuth = read.client_auth ?? 'basic';
    return { kind: 'oauth2', grant, tokenUrl, clientAuth, parameters, clientId, clientSecret };
  }

  #grant(
    type: (typeof GRANTS)[number],
    nodes: Readonly<Record<keyof typeof ONLY_FOR, YamlNode | undefined>>,
    tokenUrl: string | undefined,
  ): OAuth2Source['grant'] | undefined {
    for (const [key, grant] of Object.entries(ONLY_FOR)) {
      if (type === grant) continue;
      nodes[key as keyof typeof ONLY_FOR]?.problem(`is only for the grant ${grant}`);
    }
    if (type === 'client_credentials') return { type };
    if (type === 'jwt_bearer') {
      const jwt = nodes.jwt && this.jwt(nodes.jwt);
      return jwt && { type, jwt: { ...jwt, claims: { aud: tokenUrl, ...jwt.claims } } };
    }
    const authorizeUrl = nodes.authorize_url && this.#url(nodes.authorize_url);
    const file = nodes.refresh_token && readTokenFile(nodes.refresh_token);
    return file === undefined ? undefined : { type, file, authorizeUrl };
  }

  jwt(node: YamlNode): JwtSource | undefined {
    const read = node.read(
      {
        algorithm: (item) => item.oneOf(JWT_ALGORITHMS),
        key: (item) => this.#part('key', item),
        key_id: (item) => item.string(TEXT),
        claims: readClaims,
        lifetime: (item) => item.parsed(lifetime, LIFETIME_FORM),
      },
      { algorithm: '', key: '' },
    );
    if (!read) return undefined;
    const { algorithm, key, claims = {}, lifetime: lifetimeMs = DEFAULT_LIFETIME_MS } = read;
    if (!algorithm || !key) return undefined;
    checkKey(read.nodes.key!, algorithm, key);
    return { kind: 'jwt', algorithm, key, claims, lifetimeMs, keyId: read.key_id };
  }

  githubApp(node: YamlNode): GithubAppSource | undefined {
    const read = node.read(
      {
        app_id: idOf,
        installation_id: idOf,
        private_key: (item) => this.#part('private_key', item),
        api_url: (item) => this.#url(item),
      },
      { app_id: '', installation_id: '', private_key: '' },
    );
    if (!read) return undefined;
    const { app_id: appId, installation_id: installationId, private_key: privateKey, nodes } = read;
    if (privateKey) checkKey(nodes.private_key!, 'RS256', privateKey);
    const apiUrl = nodes.api_url ? read.api_url : 'https://api.github.com';
    if (!appId || !installationId || !privateKey || !apiUrl) return undefined;
    return {
      ...{ kind: 'github_app', appId, installationId, privateKey },
      apiUrl: apiUrl.replace(/\/+$/, ''),
    };
  }

  /** A secret that the token is made from; its name has a dot, so that no template can name it. */
  #part(key: string, node: YamlNode): Secret | undefined {
    const secret = readSecret(`${this.#name}.${key}`, node, this.#sources);
    if (secret) this.parts.push(secret);
    return secret;
  }

  #url(node: YamlNode): string | undefined {
    const text = node.string();
    if (text === undefined) return undefined;
    const url = URL.parse(text);
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

/** An id is often written as a number. */
function idOf(node: YamlNode): string | undefined {
  return /^\d{1,15}$/.test(node.sourceText) ? node.sourceText : node.string(ID);
}

function lifetime(text: string): number | undefined {
  const ms = parseDuration(text) ?? 0;
  return ms >= MIN_LIFETIME_MS && ms <= MAX_LIFETIME_MS ? ms : undefined;
}

/** A value may be sensitive by mistake, so no message quotes it. */
function readParameters(node: YamlNode): [string, string][] {
  return node.entries().flatMap(([name, item]) => {
    const value = item.sensitiveString();
    if (OF_THE_GRANT.has(name)) item.problem('has a separate key, or is set by the gateway');
    return value === undefined ? [] : [[name, value]];
  });
}

const OF_THE_GRANT: ReadonlySet<string> = new Set([
  ...['grant_type', 'scope', 'client_id', 'client_secret', 'refresh_token', 'assertion'],
  ...['client_assertion', 'client_assertion_type'],
]);

function readClaims(node: YamlNode): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const [name, item] of node.entries()) {
    if (OWN_CLAIMS.includes(name)) item.problem('is set by the gateway');
    else claims[name] = item.isList ? item.items().map((one) => one.scalar()) : item.scalar();
  }
  return claims;
}

/** A problem unless the key is of the kind that the algorithm needs. */
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
