/** Lists files and folders of a vault, filtered and sorted. */

import { foldProperty } from '../content/note-properties.ts';
import { matchesGlob } from '../store/glob.ts';
import type { Sql } from '../store/sql.ts';
import { type ColumnValue, columnValue } from './column-value.ts';
import { type Page, pageOf, readCursor, readPlace, type SortKey, writeCursor } from './cursor.ts';
import { andAlso, type FileFilter, fileCondition } from './file-filter.ts';

export type ListKind = 'note' | 'attachment' | 'folder';
const SORTS = ['path', 'title', 'modified', 'size', 'words'] as const;
type ListSort = (typeof SORTS)[number];

export interface ListQuery extends FileFilter {
  /** 1 lists direct children of the prefix only. */
  readonly depth?: number;
  readonly kind?: ListKind;
  /** One of `SORTS` or a property; `-` in front reverses it. */
  readonly sort?: string;
  /** Properties and `tags`, for each note. */
  readonly columns?: readonly string[];
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
  readonly values?: readonly ColumnValue[];
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
  const sort = SORTS.find((known) => known === (query.sort ?? 'path'));
  if (sort === undefined && kind !== 'folder') return byProperty(sql, query, kind, limit);
  const { by, kind: keyKind } = ORDER[sort ?? 'path'];
  const from = readPlace(query.cursor, ['text', keyKind]);
  if (kind === 'folder') return folderPage(folders(sql, query), limit, from);
  const filter = fileCondition(query);
  const isByPath = sort === 'path';
  const start = isByPath ? ' AND f.path >= ?' : ` AND (${by}, f.path) >= (?, ?)`;
  const rows = sql.all<FileRow>(
    `SELECT f.id, f.path, f.title, f.words, f.size, f.mtime_ms, ${by} AS key FROM files f
      WHERE f.kind = ? AND f.depth < ?${from ? start : ''}${andAlso(filter)}
      ORDER BY ${isByPath ? '' : `${by}, `}f.path LIMIT ?`,
    kind,
    maxDepth(query),
    ...(from ? (isByPath ? [from[0]!] : [from[1]!, from[0]!]) : []),
    ...filter.values,
    limit + 1,
  );
  const item = itemOf(sql, query, kind);
  return pageOf(rows, limit, item, ({ path, key }) => [path, key ?? '']);
}

function itemOf(sql: Sql, { columns }: ListQuery, kind: ListKind) {
  return ({ id, path, title, words, size, mtime_ms }: FileRow): ListedFile => ({
    path,
    kind,
    ...(kind === 'note' && { title, words }),
    bytes: size,
    modified_ms: mtime_ms,
    ...(columns && { values: columns.map((column) => columnValue(sql, id, column)) }),
  });
}

/**
 * Numbers before texts, and files without the property last. Its cursor is an offset: a note whose
 * property is changed moves in any order.
 */
function byProperty(sql: Sql, query: ListQuery, kind: ListKind, limit: number): Page<ListedFile> {
  const [offset = 0] = readCursor(query.cursor);
  const isReversed = query.sort!.startsWith('-');
  const name = query.sort!.slice(isReversed ? 1 : 0);
  const known = SORTS.find((one) => one === name);
  const way = isReversed ? 'DESC' : 'ASC';
  const order =
    known === undefined
      ? `s.text IS NULL, s.number IS NULL, s.number ${way}, s.text ${way}, f.path`
      : `${known === 'path' ? '' : `${ORDER[known].by} ${way}, `}f.path ${way}`;
  const filter = fileCondition(query);
  const rows = sql.all<FileRow>(
    `SELECT f.id, f.path, f.title, f.words, f.size, f.mtime_ms FROM files f
      LEFT JOIN properties s ON s.file = f.id AND s.key = ? AND s.place = 0
      WHERE f.kind = ? AND f.depth < ?${andAlso(filter)} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...[foldProperty(name), kind, maxDepth(query), ...filter.values, limit + 1, offset],
  );
  return {
    items: rows.slice(0, limit).map(itemOf(sql, query, kind)),
    ...(rows.length > limit && { cursor: writeCursor([offset + limit]) }),
  };
}

interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly words: number;
  readonly size: number;
  readonly mtime_ms: number;
  readonly key?: string | number;
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
