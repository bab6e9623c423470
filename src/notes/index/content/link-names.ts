/**
 * Link resolution. A file has a few folded names: its file name without `.md`, its aliases, its
 * title, and what a web site or Logseq calls it. A link has one name: the last segment of its target.
 * So adding, removing or renaming a file affects exactly the links with one of its names.
 */
import { isNote, spellingKey } from '../../files/vault-path.ts';
import { formatMoment } from '../../habits/moment-format.ts';
import { folderOfPage, pageName, withoutTail } from '../../links/page-name.ts';
import { resolveSiteLink } from './site-links.ts';

/** `folder`: an index page is named by its folder. `address`: `slug` or `permalink`. */
export const VIA = { file: 0, alias: 1, title: 2, folder: 3, address: 4 } as const;

export interface FileName {
  readonly key: string;
  readonly via: number;
  /** A name with slashes, of which the key is the last segment; else empty. */
  readonly whole: string;
}

export interface Candidate extends Omit<FileName, 'key'> {
  readonly file: number;
  readonly path: string;
}

export interface Resolution {
  readonly file: number;
  /** Several files have this name, and nothing in the link distinguishes them. */
  readonly ambiguous: boolean;
}

export interface OtherNames {
  readonly title?: string;
  readonly aliases: readonly string[];
  /** Paths or last segments of addresses. */
  readonly addresses?: readonly string[];
}

export function fileNames(
  path: string,
  { title = '', aliases, addresses = [] }: OtherNames,
): FileName[] {
  const names = new Map<string, FileName>();
  const add = (key: string, via: number, whole = '') => {
    const id = `${key}/${whole}`;
    if (key !== '' && !names.has(id)) names.set(id, { key, via, whole });
  };
  const addWhole = (name: string, via: number) => {
    const whole = spellingKey(name.trim().replace(/^\/|\/$/g, ''));
    if (whole.includes('/')) add(nameKey(whole), via, whole);
    else add(whole, via, via === VIA.address ? whole : '');
  };
  add(nameKey(path), VIA.file);
  add(nameKey(folderOfPage(path) ?? ''), VIA.folder);
  for (const alias of aliases) addWhole(alias, VIA.alias);
  for (const alias of [pageName(path) ?? '', ...journalNames(path)]) addWhole(alias, VIA.alias);
  add(spellingKey(title.trim()), VIA.title);
  for (const address of addresses) addWhole(address, VIA.address);
  return [...names.values()];
}

/** Logseq links to a journal by its day. */
function journalNames(path: string): string[] {
  const [, year, month, day] = /(?:^|\/)journals\/(\d{4})_(\d\d)_(\d\d)\.md$/.exec(path) ?? [];
  if (day === undefined) return [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return ['MMM Do, YYYY', 'YYYY-MM-DD'].map((format) => formatMoment(date, format));
}

/** The name in a link to `target`. */
export function nameKey(target: string): string {
  const path = withoutTail(target);
  const name = path.slice(path.lastIndexOf('/') + 1).trim();
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
  const spelt = pathKey(withoutTail(link.target.trim()));
  const folder = link.source.slice(0, link.source.lastIndexOf('/') + 1);
  const isWiki = link.kind === 'wiki' || link.kind === 'embed';
  const paths = speltPaths(isWiki, spelt, folder);
  for (const via of isWiki ? [VIA.file] : [VIA.file, VIA.folder]) {
    for (const path of paths) {
      const [found] = best(
        candidates.filter((one) => one.via === via && placeOf(one) === path),
        link.target,
        folder,
      );
      if (found) return { file: found.file, ambiguous: false };
    }
  }
  if (spelt.startsWith('/') && !isWiki)
    return resolveSiteLink(spelt, link.source, candidates, placeOf);
  if (/^\.{0,2}\//.test(spelt)) return undefined;
  for (const level of levels(candidates, spelt)) {
    const found = best(level, link.target, folder);
    if (found.length > 0) return { file: found[0]!.file, ambiguous: found.length > 1 };
  }
  return undefined;
}

/** The folded path of the page; that of its folder if it is named by that. */
function placeOf({ via, path }: Candidate): string {
  return pathKey(via === VIA.folder ? (folderOfPage(path) ?? path) : path);
}

/** The vault paths that a link may mean, the likelier one first. */
function speltPaths(isWiki: boolean, spelt: string, folder: string): (string | undefined)[] {
  if (spelt.startsWith('/')) return [joined('', spelt)];
  if (/^\.\.?\//.test(spelt)) return [joined(folder, spelt)];
  if (!isWiki) return [joined(folder, spelt), joined('', spelt)];
  return [joined('', spelt), ...(spelt.includes('/') ? [joined(folder, spelt)] : [])];
}

function levels(candidates: readonly Candidate[], spelt: string): Candidate[][] {
  const bySuffix = candidates.filter(
    (one) => one.via === VIA.file && `/${pathKey(one.path)}`.endsWith(`/${spelt}`),
  );
  const aliases = candidates.filter(
    ({ via, whole }) => via === VIA.alias && (spelt.includes('/') ? whole === spelt : whole === ''),
  );
  if (spelt.includes('/')) return [bySuffix, aliases];
  return [bySuffix, aliases, candidates.filter((one) => one.via === VIA.title)];
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
