/**
 * Step 6. The target permits the method; outside a target every known method is permitted.
 *
 * Prevents method override: WordPress and others execute a permitted GET with `?_method=DELETE` as a
 * DELETE. A query with such a parameter is refused, whatever its value, like the override headers.
 */
import { METHODS, type Target } from '../config/config.ts';
import { hasParameter } from '../request/query-string.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest } from '../request/request.ts';

export function checkMethod(
  { method, url }: Pick<ModelRequest, 'method' | 'url'>,
  target: Target | undefined,
): void {
  const allowed: readonly string[] = target?.methods ?? METHODS;
  const rule = `must be one of ${allowed.join(', ')}`;
  if (!allowed.includes(method)) throw new Refusal('method_not_allowed', `the method ${rule}`);
  if (!hasParameter(url.query, overridesMethod)) return;
  throw new Refusal(
    'method_not_allowed',
    'the query overrides the method (_method or similar); remove that parameter and set `method`',
  );
}

/**
 * Compares names as upstreams read them, without case: PHP reads spaces, dots and an open bracket as
 * underscores and drops leading spaces; others read a name inside brackets.
 */
function overridesMethod(parameter: string): boolean {
  const name = parameter
    .replace(/^[\s?]+/, '')
    .toLowerCase()
    .replace(/[\s.-]/g, '_');
  const [inBrackets = ''] = name.replace(/^\[+/, '').split(/[[\]\0]/, 1);
  return OVERRIDES.has(inBrackets) || OVERRIDES.has(name.replace('[', '_'));
}

const OVERRIDES: ReadonlySet<string> = new Set([
  // WordPress, Jersey, Express and more; Salesforce; Google.
  ...['_method', '_httpmethod', '$httpmethod'],
  // The override headers, which some upstreams also read from the query.
  ...['x_http_method_override', 'x_http_method', 'x_method_override'],
]);
