/**
 * Matches a path against `*` (within a name), `?` and `**` (any folders). A pattern without a slash
 * matches the file name alone. Only the last star is backtracked, so that the time is bounded by
 * the product of the lengths (prevents denial of service by a pattern, CWE-1333).
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (!pattern.includes('/')) return matchesName(pattern, path.slice(path.lastIndexOf('/') + 1));
  return matchesParts(
    pattern.replace(/^\//, '').split('/'),
    path.split('/'),
    (part) => part === '**',
    matchesName,
  );
}

function matchesName(pattern: string, name: string): boolean {
  return matchesParts(
    [...pattern.normalize('NFC')],
    [...name.normalize('NFC')],
    (part) => part === '*',
    (part, character) => part === '?' || part === character,
  );
}

function matchesParts(
  pattern: readonly string[],
  parts: readonly string[],
  isStar: (part: string) => boolean,
  matches: (pattern: string, part: string) => boolean,
): boolean {
  let at = 0;
  let wanted = 0;
  let star = -1;
  let starAt = 0;
  while (at < parts.length) {
    if (wanted < pattern.length && isStar(pattern[wanted]!)) {
      star = wanted++;
      starAt = at;
    } else if (wanted < pattern.length && matches(pattern[wanted]!, parts[at]!)) {
      wanted++;
      at++;
    } else if (star !== -1) {
      wanted = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (wanted < pattern.length && isStar(pattern[wanted]!)) wanted++;
  return wanted === pattern.length;
}
