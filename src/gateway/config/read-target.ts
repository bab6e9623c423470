/** One entry of `targets`: a permitted destination. */

import { quoteUrl } from '../../core/config/problems.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { blockedBaseUrlHost } from '../../core/net/guard.ts';
import { parseRequestUrl } from '../request/request-url.ts';
import type { BaseUrl, Target } from './config.ts';
import { ALL_PATHS, readApprove, readMethods, readPaths } from './read-approve.ts';
import { readInject } from './read-inject.ts';
import { duration, rate, responseBytes, type ServerReading, self } from './read-server.ts';
import type { SecretsRead } from './read-template.ts';

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
  const read = node.read(
    {
      id: (item) => item.string(ID),
      description: (item) => item.string(DESCRIPTION),
      base_url: (item) => readBaseUrl(item, server),
      methods: (item) => readMethods(item, NONE_ALLOWED),
      paths: self,
      rate_limit: rate,
      timeout: duration,
      idle_timeout: duration,
      max_response_bytes: responseBytes,
      follow_redirects: (item) => item.boolean(),
      inject: self,
      approve: self,
      approval_ttl: self,
      decoy: (item) => item.boolean() || undefined,
    },
    {
      id: 'name the target',
      description: 'say what the model finds there',
      base_url: 'give an absolute http or https URL',
    },
  );
  if (!read) return undefined;
  const { id, description, base_url: baseUrl, nodes } = read;
  if (id && idsSoFar.has(id)) nodes.id?.problem(`the target ${nodes.id.quoted()} is defined twice`);
  if (id) idsSoFar.add(id);
  const approve = readApprove(read.approve, read.approval_ttl, baseUrl);
  const inject = readInject(read.inject, secrets);
  if (read.decoy && approve) nodes.approve?.problem('a decoy is refused in any case; omit approve');
  if (read.decoy && (inject.sign || inject.secretNames.length > 0)) {
    nodes.inject?.problem(NO_SECRETS);
  }
  const rest = {
    methods: read.methods ?? (['GET'] as const),
    paths: read.paths ? readPaths(read.paths, baseUrl, NONE_ALLOWED) : ALL_PATHS,
    timeoutMs: read.timeout ?? server.requestTimeoutMs,
    idleTimeoutMs: read.idle_timeout ?? server.idleTimeoutMs,
    maxResponseBytes: read.max_response_bytes ?? server.maxResponseBytes,
    followRedirects: read.follow_redirects ?? false,
    inject,
    ...(read.rate_limit && { rateLimit: read.rate_limit }),
    ...(read.decoy && { isDecoy: read.decoy }),
    ...(approve && { approve }),
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
  if (url.hadTrailingDot)
    return node.problem(`${node.quoted()}: the host must not end in a dot; no request would match`);
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
