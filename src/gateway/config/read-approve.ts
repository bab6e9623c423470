/** Which requests to a target need a person's approval: `approve` and `approval_ttl`. */
import { parseDuration } from '../../core/config/duration.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { compilePattern, couldMatchUnder, type PathPattern } from '../request/path-pattern.ts';
import { type Approve, type BaseUrl, METHODS, type Method } from './config.ts';

const DEFAULT_TTL_MS = 10 * 60_000;
const MAX_TTL_MS = 24 * 3_600_000;
const TTL_FORM = 'a duration such as "10m", at most 24h';
const NONE_NEEDED = 'must not be empty; omit the key, and no request needs approval';

export function readApprove(
  node: YamlNode | undefined,
  ttl: YamlNode | undefined,
  baseUrl: BaseUrl | undefined,
): Approve | undefined {
  const ttlMs = ttl?.parsed(parseTtl, TTL_FORM) ?? DEFAULT_TTL_MS;
  if (!node || node.isNull) {
    ttl?.warn('has no effect without approve');
    return undefined;
  }
  if (!node.isMap) return { methods: readMethods(node), paths: ALL_PATHS, ttlMs };
  const fields = node.fields(['methods', 'paths']);
  if (!fields) return undefined;
  if (!fields.methods && !fields.paths) return node.problem('needs methods, paths or both');
  const methods = fields.methods ? readMethods(fields.methods) : METHODS;
  const paths = fields.paths ? readPaths(fields.paths, baseUrl) : ALL_PATHS;
  return { methods, paths, ttlMs };
}

function parseTtl(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms <= MAX_TTL_MS ? ms : undefined;
}

export function readMethods(node: YamlNode, whenEmpty = NONE_NEEDED): Method[] {
  const methods = node.items(whenEmpty).flatMap((item) => {
    const method = item.parsed(
      (text) => METHODS.find((known) => known === text.toUpperCase()),
      `one of ${METHODS.join(', ')}`,
    );
    return method ? [method] : [];
  });
  return [...new Set(methods)];
}

export function readPaths(
  node: YamlNode,
  baseUrl: BaseUrl | undefined,
  whenEmpty = NONE_NEEDED,
): PathPattern[] {
  return node.items(whenEmpty).flatMap((item) => {
    const text = item.string();
    if (text === undefined) return [];
    const pattern = compilePattern(text);
    if ('problem' in pattern) {
      item.problem(`${item.quoted()} is not a path pattern: ${pattern.problem}`);
      return [];
    }
    if (baseUrl && !couldMatchUnder(pattern, baseUrl.path)) {
      item.problem(
        `${item.quoted()} matches nothing under base_url; patterns start at the root, such as "${baseUrl.path}/**"`,
      );
    }
    return [pattern];
  });
}

export const ALL_PATHS = [compilePattern('/**') as PathPattern];
