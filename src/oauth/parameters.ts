/**
 * Request parameters of `/authorize` and `/token`: RFC 6749, section 3.1, and RFC 8707.
 *
 * Stops parameter pollution, where a check reads the first of two values and the use reads
 * the second: a repeated parameter is an error, and nothing reads it.
 */
import { OAuthError } from './oauth-error.ts';

/** The value; one that is empty counts as absent. */
export function parameter(parameters: URLSearchParams, name: string): string | undefined {
  return parameters.get(name) || undefined;
}

export function requiredParameter(parameters: URLSearchParams, name: string): string {
  const value = parameter(parameters, name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  return value;
}

/** Throws when a parameter is repeated; RFC 8707 allows that for `resource` only. */
export function refuseRepeated(parameters: URLSearchParams): void {
  const seen = new Set<string>();
  for (const name of parameters.keys()) {
    if (seen.has(name) && name !== 'resource') {
      throw new OAuthError('invalid_request', 'a parameter is repeated; send each one once');
    }
    seen.add(name);
  }
}

/** Throws unless every `resource` is this server; without one, or with an empty one, it is meant. */
export function refuseForeignResource(parameters: URLSearchParams, publicUrl: string): void {
  const own = ['', publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`];
  if (!parameters.getAll('resource').every((resource) => own.includes(resource))) {
    throw new OAuthError('invalid_target', `resource must be ${publicUrl}/mcp`);
  }
}
