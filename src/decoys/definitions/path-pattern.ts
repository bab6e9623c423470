/**
 * Path patterns of decoy files: `*` is any run of characters within a segment, and `**` as a segment
 * is any number of directories. Prevents denial of service by backtracking: a pattern has at most one
 * `**` and two `*`, and a long path matches none.
 */
const MAX_PATH = 512;
const MAX_STARS = 2;
const FORM = /^\/[\x21-\x7e]*$/;

export interface PathPattern {
  readonly text: string;
  /** Without `*`: the one path that matches. */
  readonly exact?: string;
  matches(path: string): boolean;
}

/** Compared in lower case, as requests are; undefined for text that is no pattern. */
export function parsePathPattern(text: string): PathPattern | undefined {
  if (!FORM.test(text) || text.length > MAX_PATH || /[?#%\\]|\/\//.test(text)) return undefined;
  const lower = text.toLowerCase();
  if (!lower.includes('*')) return { text, exact: lower, matches: (path) => path === lower };
  const segments = lower.slice(1).split('/');
  const deep = segments.filter((segment) => segment === '**').length;
  const stars = segments.filter((segment) => segment !== '**').join('/');
  if (deep > 1 || stars.includes('**') || stars.split('*').length - 1 > MAX_STARS) return undefined;
  if (segments.at(-1) === '**') return undefined;
  const source = segments.map((segment) => (segment === '**' ? '(?:/[^/]+)*' : `/${one(segment)}`));
  const pattern = new RegExp(`^${source.join('')}$`);
  const prefix = lower.slice(0, lower.indexOf('*'));
  const matches = (path: string) =>
    path.startsWith(prefix) && path.length <= MAX_PATH && pattern.test(path);
  return { text, matches };
}

/** A segment that is `*` alone is any name, but neither `.` nor `..`. */
function one(segment: string): string {
  const escaped = segment.split('*').map((part) => part.replace(/[.+^${}()|[\]\\]/g, '\\$&'));
  return `${segment === '*' ? '(?!\\.{1,2}(?:/|$))' : ''}${escaped.join('[^/]+')}`;
}
