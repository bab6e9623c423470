/** The tags of a vault with their note counts. */
import { foldTag } from '../content/indexed-note.ts';
import type { Sql } from '../store/sql.ts';
import { type Page, pageOf, readPlace } from './cursor.ts';

export interface TagQuery {
  /** The start of a tag; nested tags are included. */
  readonly prefix?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface TagCount {
  readonly tag: string;
  readonly notes: number;
}

const DEFAULT_LIMIT = 100;

/** Most used first. Spellings of one tag are merged; the most frequent one is shown. */
export function tagList(sql: Sql, query: TagQuery): Page<TagCount> {
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const [most = null, first = null] = readPlace(query.cursor, ['number', 'text']) ?? [];
  const prefix = foldTag(query.prefix ?? '');
  const rows = sql.all<TagCount & { readonly key: string }>(
    `SELECT key, name AS tag, sum(notes) AS notes FROM (
        SELECT key, name, count(*) AS notes FROM tags
        WHERE key >= ?1 AND key < ?2 GROUP BY key, name ORDER BY key, notes DESC, name
      ) GROUP BY key HAVING ?3 IS NULL OR (-sum(notes), key) >= (-?3, ?4)
      ORDER BY sum(notes) DESC, key LIMIT ?5`,
    prefix,
    `${prefix}\u{10ffff}`,
    most,
    first,
    limit + 1,
  );
  const item = ({ tag, notes }: TagCount) => ({ tag, notes });
  return pageOf(rows, limit, item, ({ notes, key }) => [notes, key]);
}
