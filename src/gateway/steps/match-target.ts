/**
 * Step 3. The first target, in list order, whose scheme, host, port and path accept the URL.
 * The method is not looked at here, so that the audit line can name the attempted target.
 */
import type { Target, User } from '../config/config.ts';
import { matchesPattern } from '../path-pattern.ts';
import { Refusal } from '../refusal.ts';
import type { RequestUrl } from '../request-url.ts';

/** Undefined is a call outside every target, which only `allow_any` permits. */
export function matchTarget(user: User, url: RequestUrl): Target | undefined {
  const target = user.targets.find((candidate) => accepts(candidate, url));
  if (target || user.allowAny) return target;
  throw new Refusal(
    'no_target',
    'no target of yours accepts this URL; list_targets shows what you may request',
  );
}

export function accepts({ baseUrl, paths }: Target, url: RequestUrl): boolean {
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
