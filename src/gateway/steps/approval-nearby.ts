/**
 * Whether a URL is a spelling of one that another target of the user wants approved.
 *
 * Prevents going around an approval (CWE-178, CWE-289): `/ADMIN/users` is outside of a target with
 * `/admin/**`, and a later target with the same credentials accepts it; upstreams that ignore letter
 * case, or decode twice, serve `/admin/users`. The same goes for `allow_any` with a dot after the
 * host, or with the other scheme. A target that is listed before the one with `approve` is exempt:
 * that order is the operator's choice. So is a target that the HTTP door names.
 */
import type { Target, User } from '../config/config.ts';
import { foldCase } from '../request/fold-case.ts';
import { matchesFolded, spellingsOf } from '../request/path-spellings.ts';
import { DEFAULT_PORTS, isUnder, type RequestUrl } from '../request/request-url.ts';

/** The target that would ask; undefined for nearly every call. */
export function targetThatAsks(
  user: User,
  url: RequestUrl,
  matched: Target | undefined,
): Target | undefined {
  for (const target of user.targets) {
    if (target === matched) return undefined;
    if (target.approve && covers(target, url)) return target;
  }
  return undefined;
}

function covers({ baseUrl, paths, approve }: Target, url: RequestUrl): boolean {
  if (url.host !== baseUrl.host || !isSamePort(url, baseUrl)) return false;
  const base = foldCase(baseUrl.path);
  return spellingsOf(url.matchPath).some(
    (path) =>
      isUnder(path, base) && matchesFolded(paths, path) && matchesFolded(approve!.paths, path),
  );
}

function isSamePort(url: Pick<RequestUrl, 'scheme' | 'port'>, base: Target['baseUrl']): boolean {
  const isDefault = ({ scheme, port }: typeof url) => port === DEFAULT_PORTS[scheme];
  return url.port === base.port || (isDefault(url) && isDefault(base));
}
