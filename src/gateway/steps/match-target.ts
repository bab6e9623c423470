/**
 * Step 3. The first target, in list order, whose scheme, host, port and path accept the URL.
 * The method is not looked at here, so that the audit line can name the attempted target.
 *
 * The attack is a path parameter: `/one/;x=1` has a segment for the pattern `/one/*`, and Tomcat and
 * Spring, which drop what follows a `;` in a segment, serve `/one/`. Both readings of a path must
 * lead to the same target.
 */
import type { Target, User } from '../config/config.ts';
import { matchesPattern } from '../request/path-pattern.ts';
import { Refusal } from '../request/refusal.ts';
import type { RequestUrl } from '../request/request-url.ts';

/** Undefined is a call outside every target, which only `allow_any` permits. */
export function matchTarget(user: User, url: RequestUrl): Target | undefined {
  const [target, ...others] = readingsOf(url).map((reading) =>
    user.targets.find((candidate) => acceptsReading(candidate, reading)),
  );
  if (others.some((other) => other !== target)) throw new Refusal('no_target', PATH_PARAMETER);
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
  'the path holds a ";", and without what follows it another target or none would accept the path; leave the ";" out';

/** The path as it stands and, where that differs, without the parameters of its segments. */
function readingsOf(url: RequestUrl): RequestUrl[] {
  if (!url.matchPath.includes(';')) return [url];
  const names = url.matchPath.split('/').map((segment) => segment.split(';', 1)[0]!);
  const matchPath = `/${names.filter((name) => name !== '' && name !== '.').join('/')}`;
  return [url, { ...url, matchPath }];
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

function isUnder(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`);
}
