/** Lists files and folders of a vault, filtered and sorted. */
import { matchesGlob } from '../store/glob.ts';
import type { Sql } from '../store/sql.ts';
import { type Page, pageOf, readPlace, type SortKey } from './cursor.ts';
import { andAlso, type FileFilter, fileCondition } from './file-filter.ts';

export type ListKind = 'note' | 'attachment' | 'folder';
export type ListSort = 'path' | 'title' | 'modified' | 'size' | 'words';

export interface ListQuery extends FileFilter {
  /** 1 lists direct children of the prefix only. */
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
  /** The number of notes below a folder. */
  readonly notes?: number;
}

/** Sort keys before the path. A cursor contains the key, so a title is cut. */
const ORDER: Readonly<Record<ListSort, { readonly by: string; readonly kind: 'text' | 'number' }>> =
  {
    path: { by: `''`, kind: 'text' },
    title: { by: 'substr(f.title, 1, 60) COLLATE NOCASE', kind: 'text' },
    modified: { by: '-f.mtime_ms', kind: 'number' },
    size: { by: '-f.size', kind: 'number' },
    words: { by: '-f.words', kind: 'number' },
  };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

export function listNotes(sql: Sql, query: ListQuery): Page<ListedFile> {
  const kind = query.kind ?? 'note';
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const sort = query.sort ?? 'path';
  const { by, kind: keyKind } = ORDER[sort];
  const from = readPlace(query.cursor, ['text', keyKind]);
  if (kind === 'folder') return folderPage(folders(sql, query), limit, from);
  const filter = fileCondition(query);
  const isByPath = sort === 'path';
  const start = isByPath ? ' AND f.path >= ?' : ` AND (${by}, f.path) >= (?, ?)`;
  const rows = sql.all<FileRow>(
    `SELECT f.path, f.title, f.words, f.size, f.mtime_ms, ${by} AS key FROM files f
      WHERE f.kind = ? AND f.depth < ?${from ? start : ''}${andAlso(filter)}
      ORDER BY ${isByPath ? '' : `${by}, `}f.path LIMIT ?`,
    kind,
    maxDepth(query),
    ...(from ? (isByPath ? [from[0]!] : [from[1]!, from[0]!]) : []),
    ...filter.values,
    limit + 1,
  );
  const item = ({ path, title, words, size, mtime_ms }: FileRow): ListedFile => ({
    path,
    kind,
    ...(kind === 'note' && { title, words }),
    bytes: size,
    modified_ms: mtime_ms,
  });
  return pageOf(rows, limit, item, ({ path, key }) => [path, key]);
}

interface FileRow {
  readonly path: string;
  readonly title: string;
  readonly words: number;
  readonly size: number;
  readonly mtime_ms: number;
  readonly key: string | number;
}

function folderPage(
  all: readonly ListedFile[],
  limit: number,
  [first]: SortKey = [''],
): Page<ListedFile> {
  const rows = all.filter(({ path }) => path >= String(first)).slice(0, limit + 1);
  return pageOf(
    rows,
    limit,
    (row) => row,
    ({ path }) => [path, ''],
  );
}

function folders(sql: Sql, query: ListQuery): ListedFile[] {
  const filter = fileCondition({ prefix: query.prefix });
  const counts = new Map<string, number>();
  const max = maxDepth(query);
  for (const { path } of sql.each<{ path: string }>(
    `SELECT f.path FROM files f WHERE f.kind = 'note'${andAlso(filter)} ORDER BY f.path`,
    ...filter.values,
  )) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = depthOf(query.prefix) + 1; depth <= Math.min(parts.length, max); depth++) {
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

function maxDepth(query: ListQuery): number {
  return query.depth === undefined ? 1_000_000 : depthOf(query.prefix) + Math.max(1, query.depth);
}

function depthOf(prefix: string | undefined): number {
  return prefix?.split('/').filter((part) => part !== '').length ?? 0;
}
