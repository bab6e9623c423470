/** Files and folders of a vault, chosen and ordered as the caller wants, page by page. */
import { type Page, pageOf, readCursor } from './cursor.ts';
import { andAlso, type FileFilter, fileCondition } from './file-filter.ts';
import { matchesGlob } from './glob.ts';
import type { Sql } from './sql.ts';

export type ListKind = 'note' | 'attachment' | 'folder';
export type ListSort = 'path' | 'title' | 'modified' | 'size' | 'words';

export interface ListQuery extends FileFilter {
  /** 1 is what lies directly in the prefix. */
  readonly depth?: number;
  readonly kind?: ListKind;
  readonly sort?: ListSort;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListedFile {
  readonly path: string;
  readonly kind: ListKind;
  readonly title?: string;
  readonly words?: number;
  readonly bytes?: number;
  readonly modified_ms?: number;
  /** How many notes are in a folder and below it. */
  readonly notes?: number;
}

const ORDER: Readonly<Record<ListSort, string>> = {
  path: 'f.path',
  title: 'f.title COLLATE NOCASE, f.path',
  modified: 'f.mtime_ms DESC, f.path',
  size: 'f.size DESC, f.path',
  words: 'f.words DESC, f.path',
};

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

export function listNotes(sql: Sql, query: ListQuery): Page<ListedFile> {
  const kind = query.kind ?? 'note';
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const [offset = 0] = readCursor(query.cursor);
  if (kind === 'folder') return pageOf(folders(sql, query).slice(offset), offset, limit);
  const filter = fileCondition(query);
  const rows = sql.all<{
    path: string;
    title: string;
    words: number;
    size: number;
    mtime_ms: number;
  }>(
    `SELECT f.path, f.title, f.words, f.size, f.mtime_ms FROM files f
      WHERE f.kind = ? AND f.depth < ?${andAlso(filter)}
      ORDER BY ${ORDER[query.sort ?? 'path'] ?? ORDER.path} LIMIT ? OFFSET ?`,
    kind,
    deepest(query),
    ...filter.values,
    limit + 1,
    offset,
  );
  const files = rows.map(({ path, title, words, size, mtime_ms }) => ({
    path,
    kind,
    ...(kind === 'note' && { title, words }),
    bytes: size,
    modified_ms: mtime_ms,
  }));
  return pageOf(files, offset, limit);
}

function folders(sql: Sql, query: ListQuery): ListedFile[] {
  const filter = fileCondition({ ...(query.prefix !== undefined && { prefix: query.prefix }) });
  const counts = new Map<string, number>();
  const most = deepest(query);
  for (const { path } of sql.each<{ path: string }>(
    `SELECT f.path FROM files f WHERE f.kind = 'note'${andAlso(filter)} ORDER BY f.path`,
    ...filter.values,
  )) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = depthOf(query.prefix) + 1; depth <= Math.min(parts.length, most); depth++) {
      const folder = parts.slice(0, depth).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const { glob } = query;
  return [...counts]
    .filter(([path]) => glob === undefined || matchesGlob(glob, path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, notes]) => ({ path, kind: 'folder', notes }));
}

function deepest(query: ListQuery): number {
  return query.depth === undefined ? 1_000_000 : depthOf(query.prefix) + Math.max(1, query.depth);
}

function depthOf(prefix: string | undefined): number {
  return prefix?.split('/').filter((part) => part !== '').length ?? 0;
}
