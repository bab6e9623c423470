/**
 * Step 3. Finds the first target, in list order, whose scheme, host, port and path accept the URL.
 * The method is checked later, so that the audit line names the target of a refused method.
 *
 * Prevents path confusion by path parameters: `/one/;x=1` matches the pattern `/one/*`, but Tomcat
 * and Spring drop what follows a `;` in a segment and serve `/one/`. The path with and without its
 * parameters must match the same target. For approvals, see `approval-nearby.ts`.
 */
import type { Target, User } from '../config/config.ts';
import { matchesPattern } from '../request/path-pattern.ts';
import { withoutParameters } from '../request/path-spellings.ts';
import { Refusal } from '../request/refusal.ts';
import { isUnder, type RequestUrl } from '../request/request-url.ts';
import { targetThatAsks } from './approval-nearby.ts';

/** Undefined for a URL outside every target, which only `allow_any` permits. */
export function matchTarget(user: User, url: RequestUrl): Target | undefined {
  const readings = readingsOf(url);
  const [target, ...others] = readings.map((reading) =>
    user.targets.find((candidate) => acceptsReading(candidate, reading)),
  );
  if (others.some((other) => other !== target)) throw new Refusal('no_target', PATH_PARAMETER);
  const asking = targetThatAsks(user, url, target);
  if (asking) {
    const message = `this is another spelling of a URL of the target ${asking.id}, where requests may need approval; write it as that target does`;
    throw new Refusal('no_target', message);
  }
  if (target || user.allowAny) return target;
  throw new Refusal(
    'no_target',
    'no target of yours accepts this URL; list_targets shows what you may request',
  );
}

export function accepts(target: Target, url: RequestUrl): boolean {
  return readingsOf(url).every((reading) => acceptsReading(target, reading));
}

const PATH_PARAMETER =
  'without its path parameters (";…") the path matches another target or none; remove them';

/** The URL and, if they differ, the URL without path parameters. */
function readingsOf(url: RequestUrl): RequestUrl[] {
  if (!url.matchPath.includes(';')) return [url];
  return [url, { ...url, matchPath: withoutParameters(url.matchPath) }];
}

function acceptsReading({ baseUrl, paths }: Target, url: RequestUrl): boolean {
  return (
    url.scheme === baseUrl.scheme &&
    url.host === baseUrl.host &&
    url.port === baseUrl.port &&
    !url.hadTrailingDot &&
    isUnder(url.matchPath, baseUrl.path) &&
    paths.some((pattern) => matchesPattern(pattern, url.matchPath))
  );
}
