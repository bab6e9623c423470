/** One entry of `targets`: a permitted destination. */

import { quoteUrl } from '../../core/config/problems.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { blockedBaseUrlHost } from '../../core/net/guard.ts';
import { parseRequestUrl } from '../request/request-url.ts';
import type { BaseUrl, Target } from './config.ts';
import { ALL_PATHS, readApprove, readMethods, readPaths } from './read-approve.ts';
import { readInject } from './read-inject.ts';
import { duration, MAX_RESPONSE_BYTES, rate, type ServerReading } from './read-server.ts';
import type { SecretsRead } from './read-template.ts';

const KEYS = [
  'id',
  'description',
  'base_url',
  'methods',
  'paths',
  'rate_limit',
  'timeout',
  'idle_timeout',
  'max_response_bytes',
  'follow_redirects',
  'inject',
  'approve',
  'approval_ttl',
  'decoy',
] as const;
const NONE_ALLOWED =
  'must not be empty, which would allow no request; omit the key for the default';
const NO_SECRETS =
  'a decoy sends nothing and needs no secret; write a honeytoken there, or omit inject';
const DESCRIPTION = { pattern: /\S/, expected: 'text that tells the model what it finds there' };
const ID = {
  pattern: /^[^\s\p{C}][^\p{C}]{0,255}$/u,
  expected: 'an id of 1 to 256 printable characters',
};

export function readTarget(
  node: YamlNode,
  server: ServerReading,
  secrets: SecretsRead,
  idsSoFar: Set<string>,
): Target | undefined {
  const fields = node.fields(KEYS);
  if (!fields) return undefined;
  const id = fields.id ? fields.id.string(ID) : node.problem('id is missing; name the target');
  if (id && idsSoFar.has(id))
    fields.id?.problem(`the target ${fields.id.quoted()} is defined twice`);
  if (id) idsSoFar.add(id);
  const description = fields.description
    ? fields.description.string(DESCRIPTION)
    : node.problem('description is missing; say what the model finds there');
  const baseUrl = fields.base_url
    ? readBaseUrl(fields.base_url, server)
    : node.problem('base_url is missing; give an absolute http or https URL');
  const rateLimit = rate(fields.rate_limit);
  const approve = readApprove(fields.approve, fields.approval_ttl, baseUrl);
  const inject = readInject(fields.inject, secrets);
  const isDecoy = fields.decoy?.boolean() ?? false;
  if (isDecoy && approve) fields.approve?.problem('a decoy is refused in any case; omit approve');
  if (isDecoy && (inject.sign || inject.secretNames.length > 0)) {
    fields.inject?.problem(NO_SECRETS);
  }
  const rest = {
    methods: fields.methods ? readMethods(fields.methods, NONE_ALLOWED) : (['GET'] as const),
    paths: fields.paths ? readPaths(fields.paths, baseUrl, NONE_ALLOWED) : ALL_PATHS,
    ...(rateLimit ? { rateLimit } : {}),
    timeoutMs: duration(fields.timeout) ?? server.requestTimeoutMs,
    idleTimeoutMs: duration(fields.idle_timeout) ?? server.idleTimeoutMs,
    maxResponseBytes:
      fields.max_response_bytes?.integer(1, MAX_RESPONSE_BYTES) ?? server.maxResponseBytes,
    followRedirects: fields.follow_redirects?.boolean() ?? false,
    inject,
    ...(isDecoy ? { isDecoy } : {}),
    ...(approve ? { approve } : {}),
  };
  return id && description && baseUrl ? { id, description, baseUrl, ...rest } : undefined;
}

/** Checked without a DNS lookup; the network guard checks every request. */
function readBaseUrl(node: YamlNode, server: ServerReading): BaseUrl | undefined {
  const text = node.string();
  if (text === undefined) return undefined;
  if (/[?#]/.test(text))
    return node.problem(`${node.quoted(quoteUrl)} must have no query and no fragment`);
  const url = parseRequestUrl(text);
  if ('problem' in url)
    return node.problem(`${node.quoted(quoteUrl)} cannot be a base URL: ${url.problem}`);
  if (url.hadTrailingDot) {
    return node.problem(
      `${node.quoted()}: the host must not end in a dot, or no request would match`,
    );
  }
  const blocked = blockedBaseUrlHost(url.host, server.allowNetworks);
  if (blocked) {
    const advice =
      blocked === 'metadata'
        ? 'which is never allowed'
        : 'which is blocked; if you mean it, open its network in server.allow_networks';
    return node.problem(`${node.quoted()} leads to a ${blocked} address, ${advice}`);
  }
  const { scheme, host, port } = url;
  return { text, scheme, host, port, path: url.matchPath.replace(/\/+$/, '') };
}
