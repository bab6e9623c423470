/**
 * Links of a web site, from its root: `/docs/x/` leads to `content/en/docs/x.md`. The root is
 * detected: it consists of folders that site generators have. Else the page says its own address.
 */
const IN_ENGLISH = /(?:^|\/)en(?:-\w+)?\//;

interface Page {
  readonly file: number;
  readonly path: string;
  /** An address or an alias with slashes. */
  readonly whole: string;
}

const SITE_FOLDER =
  /^(?:content|docs?|src|static|public|assets|site|website|www|pages|files|source|[a-z]{2}(?:-[a-z]{2,4})?)$/;

/** All texts are folded. Among several pages the one nearest to the source wins, then English. */
export function resolveSiteLink<Named extends Page>(
  spelt: string,
  source: string,
  candidates: readonly Named[],
  placeOf: (page: Named) => string,
): { readonly file: number; readonly ambiguous: false } | undefined {
  const pages = candidates.filter((one) => {
    if (one.whole !== '') return spelt.endsWith(`/${one.whole}`);
    const place = `/${placeOf(one)}`;
    return place.endsWith(spelt) && isSiteRoot(place.slice(1, -spelt.length));
  });
  const [best] = pages.sort(
    (a, b) =>
      shared(b.path, source) - shared(a.path, source) ||
      Number(IN_ENGLISH.test(b.path)) - Number(IN_ENGLISH.test(a.path)) ||
      a.path.length - b.path.length ||
      (a.path < b.path ? -1 : 1),
  );
  return best && { file: best.file, ambiguous: false };
}

function isSiteRoot(folder: string): boolean {
  return folder.split('/').every((name) => SITE_FOLDER.test(name));
}

/** How many characters two paths have in common at their start. */
function shared(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
