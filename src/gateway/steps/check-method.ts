/**
 * Step 6. The target permits the method; outside a target every known method is permitted.
 *
 * The attack: a permitted GET with `?_method=DELETE`, which WordPress and others carry out as a
 * DELETE. A method that the query names must be permitted, too.
 */
import { METHODS, type Target } from '../config/config.ts';
import { valuesNamed } from '../query-string.ts';
import { Refusal } from '../refusal.ts';
import type { ModelRequest } from '../request.ts';

export function checkMethod(
  { method, url }: Pick<ModelRequest, 'method' | 'url'>,
  target: Target | undefined,
): void {
  const allowed: readonly string[] = target?.methods ?? METHODS;
  const rule = `must be one of ${allowed.join(', ')}`;
  if (!allowed.includes(method)) throw new Refusal('method_not_allowed', `the method ${rule}`);
  const named = valuesNamed(url.query, namesTheMethod);
  if (named.every((value) => allowed.includes(value.toUpperCase()))) return;
  throw new Refusal(
    'method_not_allowed',
    `the query asks for another method (_method or the like); it ${rule}`,
  );
}

/** In any case, and with what PHP reads as an underscore: it drops spaces before a name, too. */
function namesTheMethod(parameter: string): boolean {
  return OVERRIDES.has(parameter.trimStart().toLowerCase().replace(/[ .-]/g, '_'));
}

const OVERRIDES: ReadonlySet<string> = new Set([
  // WordPress, Jersey, Express and more; Salesforce; Google.
  ...['_method', '_httpmethod', '$httpmethod'],
  // The reserved headers of this kind, which some upstreams read from the query as well.
  ...['x_http_method_override', 'x_http_method', 'x_method_override'],
]);
