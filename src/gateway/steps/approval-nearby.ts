/**
 * Whether a URL is a spelling of one that another target of the user wants approved.
 *
 * Prevents going around an approval (CWE-178, CWE-289): `/ADMIN/users` is outside of a target with
 * `/admin/**`, and a later target with the same credentials accepts it; upstreams that ignore letter
 * case, or decode twice, serve `/admin/users`. The same goes for `allow_any` with a dot after the
 * host, or with the other scheme. A target that stands before the one with `approve` is exempt: it is
 * what the order says. So is a target that the HTTP door names.
 */
import type { Target, User } from '../config/config.ts';
import { compilePattern, matchesPattern, type PathPattern } from '../request/path-pattern.ts';
import type { RequestUrl } from '../request/request-url.ts';

const DEFAULT_PORTS = { http: 80, https: 443 };

/** The target that would ask; undefined for nearly every call. */
export function targetThatAsks(
  user: User,
  readings: readonly RequestUrl[],
  matched: Target | undefined,
): Target | undefined {
  for (const target of user.targets) {
    if (target === matched) return undefined;
    if (target.approve && readings.some((reading) => covers(target, reading))) return target;
  }
  return undefined;
}

function covers({ baseUrl, paths, approve }: Target, url: RequestUrl): boolean {
  if (url.host !== baseUrl.host || !isSamePort(url, baseUrl)) return false;
  const base = baseUrl.path.toLowerCase();
  return spellingsOf(url.matchPath).some(
    (path) =>
      (base === '' || path === base || path.startsWith(`${base}/`)) &&
      paths.some((pattern) => matchesPattern(inLowerCase(pattern), path)) &&
      approve!.paths.some((pattern) => matchesPattern(pattern, path)),
  );
}

function isSamePort(url: Pick<RequestUrl, 'scheme' | 'port'>, base: Target['baseUrl']): boolean {
  const isDefault = ({ scheme, port }: typeof url) => port === DEFAULT_PORTS[scheme];
  return url.port === base.port || (isDefault(url) && isDefault(base));
}

/** In lower case, as it is and decoded once and twice more. */
function spellingsOf(path: string): string[] {
  const spellings = [path];
  try {
    for (let round = 0; round < 2 && spellings.at(-1)!.includes('%'); round++) {
      spellings.push(decodeURIComponent(spellings.at(-1)!));
    }
  } catch {
    // Not encoded once more.
  }
  return spellings.map((spelling) => spelling.toLowerCase());
}

const lowered = new WeakMap<PathPattern, PathPattern>();

function inLowerCase(pattern: PathPattern): PathPattern {
  const known = lowered.get(pattern);
  if (known) return known;
  const compiled = compilePattern(pattern.text.toLowerCase()) as PathPattern;
  lowered.set(pattern, compiled);
  return compiled;
}
