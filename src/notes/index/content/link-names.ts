/**
 * Link resolution. A file has a few folded names: its file name without `.md`, its aliases and its
 * title. A link has one name: the last segment of its target. So adding, removing or renaming a
 * file affects exactly the links with one of its names.
 */
import { isNote, spellingKey } from '../../files/vault-path.ts';

export const VIA = { file: 0, alias: 1, title: 2 } as const;

export interface FileName {
  readonly key: string;
  readonly via: number;
}

export interface Candidate {
  readonly file: number;
  readonly path: string;
  readonly via: number;
}

export interface Resolution {
  readonly file: number;
  /** Several files have this name, and nothing in the link distinguishes them. */
  readonly ambiguous: boolean;
}

export function fileNames(path: string, title: string, aliases: readonly string[]): FileName[] {
  const names = new Map<string, number>();
  names.set(nameKey(path), VIA.file);
  for (const alias of aliases) add(names, alias, VIA.alias);
  add(names, title, VIA.title);
  return [...names].map(([key, via]) => ({ key, via }));
}

function add(names: Map<string, number>, name: string, via: number): void {
  const key = spellingKey(name.trim());
  if (key !== '' && !names.has(key)) names.set(key, via);
}

/** The name in a link to `target`. */
export function nameKey(target: string): string {
  const name = target.slice(target.lastIndexOf('/') + 1).trim();
  return spellingKey(isNote(name) ? name.slice(0, -3) : name);
}

/**
 * Resolves a link, by precedence: the exact path (for a Markdown link from its note's folder, for a
 * wiki link from the root), a path suffix, an alias, a title. Among several the link is ambiguous,
 * and the same folder wins, then the shorter path, then the first in the order of paths.
 */
export function resolveLink(
  link: { readonly kind: string; readonly target: string; readonly source: string },
  candidates: readonly Candidate[],
): Resolution | undefined {
  if (candidates.length === 0) return undefined;
  const spelt = pathKey(link.target.trim());
  const folder = link.source.slice(0, link.source.lastIndexOf('/') + 1);
  for (const path of speltPaths(link.kind, spelt, folder)) {
    const [found] = best(
      candidates.filter((one) => speltAs(one, path)),
      link.target,
      folder,
    );
    if (found) return { file: found.file, ambiguous: false };
  }
  if (/^\.{0,2}\//.test(spelt)) return undefined;
  for (const level of levels(candidates, spelt)) {
    const found = best(level, link.target, folder);
    if (found.length > 0) return { file: found[0]!.file, ambiguous: found.length > 1 };
  }
  return undefined;
}

/** The vault paths that a link may mean, the likelier one first. */
function speltPaths(kind: string, spelt: string, folder: string): (string | undefined)[] {
  if (spelt.startsWith('/')) return [joined('', spelt)];
  if (/^\.\.?\//.test(spelt)) return [joined(folder, spelt)];
  const isWiki = kind === 'wiki' || kind === 'embed';
  if (!isWiki) return [joined(folder, spelt), joined('', spelt)];
  return [joined('', spelt), ...(spelt.includes('/') ? [joined(folder, spelt)] : [])];
}

function levels(candidates: readonly Candidate[], spelt: string): Candidate[][] {
  const bySuffix = candidates.filter(
    (one) => one.via === VIA.file && `/${pathKey(one.path)}`.endsWith(`/${spelt}`),
  );
  if (spelt.includes('/')) return [bySuffix];
  return [
    bySuffix,
    candidates.filter((one) => one.via === VIA.alias),
    candidates.filter((one) => one.via === VIA.title),
  ];
}

function speltAs(candidate: Candidate, path: string | undefined): boolean {
  return candidate.via === VIA.file && pathKey(candidate.path) === path;
}

function pathKey(path: string): string {
  return spellingKey(isNote(path) ? path.slice(0, -3) : path);
}

/** The folded path relative to a folder; undefined if it leaves the vault. */
function joined(folder: string, spelt: string): string | undefined {
  const parts = spellingKey(folder).split('/').slice(0, -1);
  for (const part of spelt.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '.' && part !== '') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

function best(candidates: readonly Candidate[], target: string, folder: string): Candidate[] {
  if (candidates.length < 2) return [...candidates];
  const rank = (one: Candidate) =>
    (isSpeltExactly(one.path, target) ? 0 : 2) +
    (one.path.slice(0, one.path.lastIndexOf('/') + 1) === folder ? 0 : 1);
  return [...candidates].sort(
    (a, b) => rank(a) - rank(b) || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
}

function isSpeltExactly(path: string, target: string): boolean {
  const written = isNote(target) ? target : `${target}.md`;
  return path.endsWith(written) || path.endsWith(target);
}
