/**
 * Path patterns: `*` is any characters within one segment, `?` one character within a segment,
 * `**` (only as a complete segment) any number of whole segments, none included.
 *
 * Patterns match the whole decoded, cleaned path of a `RequestUrl`, case-sensitively; a
 * slash at the end, of pattern or path, does not matter. Segments of a path are never empty.
 *
 * Prevents ReDoS (CWE-1333): `*a*a*a*b` against `aaaa…` takes a backtracking matcher hours. Here the
 * cost is at most the length of the pattern times that of the path, without regular expressions.
 */

/** A compiled pattern. Each segment is `**`, or the code points of a glob. */
export interface PathPattern {
  readonly text: string;
  readonly segments: readonly (typeof ANY_SEGMENTS | Glob)[];
}

type Glob = readonly string[];

const ANY_SEGMENTS = '**';
/** The default of a target. */
const MATCHES_ALL = '/**';

export function compilePattern(text: string): PathPattern | { problem: string } {
  if (!text.startsWith('/')) return { problem: 'it must begin with /' };
  if (/[\\\p{Cc}]/u.test(text)) {
    return { problem: 'it contains a character that no accepted path contains' };
  }
  const percent = /%[\da-f]{2}/i.exec(text)?.[0];
  if (percent !== undefined) {
    return { problem: `it is compared with the decoded path; write the character, not ${percent}` };
  }
  const names = segmentsOf(text);
  if (text.includes('//') || text.includes('..') || names.includes('.')) {
    return {
      problem: 'it contains "//", "/./" or "..", which no path contains',
    };
  }
  if (names.some((name) => name !== ANY_SEGMENTS && name.includes('**'))) {
    return { problem: '** is valid only as a complete segment' };
  }
  return { text, segments: names.map((name) => (name === ANY_SEGMENTS ? name : [...name])) };
}

export function matchesPattern(pattern: PathPattern, path: string): boolean {
  if (pattern.text === MATCHES_ALL) return true;
  return reachedBy(pattern, path).has(pattern.segments.length);
}

/** Whether the pattern matches the base path or any path below it. */
export function couldMatchUnder(pattern: PathPattern, basePath: string): boolean {
  return reachedBy(pattern, basePath).size > 0;
}

/**
 * The positions in the pattern that may come next once the path is consumed. The end of the
 * pattern among them means a match; any position at all, that a longer path may match.
 */
function reachedBy(pattern: PathPattern, path: string): ReadonlySet<number> {
  let positions = passAnySegments(pattern, [0]);
  for (const name of segmentsOf(path)) {
    const characters = [...name];
    const next: number[] = [];
    for (const position of positions) {
      const segment = pattern.segments[position];
      if (segment === ANY_SEGMENTS) next.push(position);
      else if (segment !== undefined && matchesGlob(segment, characters)) next.push(position + 1);
    }
    positions = passAnySegments(pattern, next);
  }
  return positions;
}

/** Adds the positions behind each `**`, since it may also stand for no segment. */
function passAnySegments(pattern: PathPattern, starts: readonly number[]): Set<number> {
  const positions = new Set(starts);
  for (const position of positions) {
    if (pattern.segments[position] === ANY_SEGMENTS) positions.add(position + 1);
  }
  return positions;
}

/** After a mismatch only the latest `*` takes one character more; earlier ones need not. */
function matchesGlob(glob: Glob, name: readonly string[]): boolean {
  let at = 0;
  let star = -1;
  let starAt = 0;
  let next = 0;
  while (at < name.length) {
    if (glob[next] === '*') {
      star = next;
      starAt = at;
      next += 1;
    } else if (glob[next] === '?' || glob[next] === name[at]) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      next = star + 1;
      starAt += 1;
      at = starAt;
    } else {
      return false;
    }
  }
  while (glob[next] === '*') next += 1;
  return next === glob.length;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}
