/** The tags of a vault, and how many notes have each. */
import { type Page, pageOf, readCursor } from './cursor.ts';
import { foldTag } from './indexed-note.ts';
import type { Sql } from './sql.ts';

export interface TagQuery {
  /** A tag; the ones below it are listed, too. */
  readonly prefix?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface TagCount {
  readonly tag: string;
  readonly notes: number;
}

const DEFAULT_LIMIT = 100;

/** The most used first; a tag in several spellings is one, shown as it is written most often. */
export function tagList(sql: Sql, query: TagQuery): Page<TagCount> {
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const [offset = 0] = readCursor(query.cursor);
  const prefix = foldTag(query.prefix ?? '');
  const rows = sql.all<TagCount>(
    `SELECT name AS tag, sum(notes) AS notes FROM (
        SELECT key, name, count(*) AS notes FROM tags
        WHERE key >= ? AND key < ? GROUP BY key, name ORDER BY key, notes DESC, name
      ) GROUP BY key ORDER BY 2 DESC, key LIMIT ? OFFSET ?`,
    prefix,
    `${prefix}\u{10ffff}`,
    limit + 1,
    offset,
  );
  return pageOf(rows, offset, limit);
}
