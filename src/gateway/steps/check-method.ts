/**
 * Step 6. The target permits the method; outside a target every known method is permitted.
 *
 * The attack is a method override: a permitted GET with `?_method=DELETE`, which WordPress and others
 * carry out as a DELETE. A query that names a method is refused, whichever it names, as the headers
 * are that do the same.
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
  if (!hasParameter(url.query, namesTheMethod)) return;
  throw new Refusal(
    'method_not_allowed',
    'the query names a method (_method or the like); leave that out and give the method itself',
  );
}

/**
 * In any case, and with what upstreams read as such a name: PHP takes spaces, dots and an open
 * bracket for underscores and drops spaces before a name, and others take a name out of brackets.
 */
function namesTheMethod(parameter: string): boolean {
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
  // The reserved headers of this kind, which some upstreams read from the query as well.
  ...['x_http_method_override', 'x_http_method', 'x_method_override'],
]);
