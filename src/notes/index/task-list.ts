import { type Page, pageOf, readCursor } from './cursor.ts';
import { andAlso, fileCondition } from './file-filter.ts';
import type { Sql } from './sql.ts';

export interface TaskQuery {
  readonly prefix?: string;
  /** Open ones and done ones where absent. */
  readonly done?: boolean;
  readonly contains?: string;
  /** Days such as 2026-11-15; the bounds are included. A task without a day is not due. */
  readonly dueAfter?: string;
  readonly dueBefore?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListedTask {
  readonly path: string;
  readonly line: number;
  readonly done: boolean;
  readonly text: string;
  readonly due?: string;
}

const DEFAULT_LIMIT = 50;

/** Those with a day first, the earliest of them first. */
export function taskList(sql: Sql, query: TaskQuery): Page<ListedTask> {
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const [offset = 0] = readCursor(query.cursor);
  const filter = fileCondition(query.prefix === undefined ? {} : { prefix: query.prefix });
  const rows = sql.all<{
    path: string;
    line: number;
    done: number;
    text: string;
    due: string | null;
  }>(
    `SELECT f.path, t.line, t.done, t.text, t.due FROM tasks t JOIN files f ON f.id = t.file
      WHERE (?1 IS NULL OR t.done = ?1) AND (?2 IS NULL OR t.due >= ?2) AND (?3 IS NULL OR t.due <= ?3)
        AND (?4 IS NULL OR contains_text(t.text, ?4))${andAlso(filter)}
      ORDER BY t.due IS NULL, t.due, f.path, t.line LIMIT ?5 OFFSET ?6`,
    query.done === undefined ? null : query.done ? 1 : 0,
    query.dueAfter ?? null,
    query.dueBefore ?? null,
    query.contains ?? null,
    limit + 1,
    offset,
    ...filter.values,
  );
  const tasks = rows.map(({ due, done, ...task }) => ({
    ...task,
    done: done === 1,
    ...(due !== null && { due }),
  }));
  return pageOf(tasks, offset, limit);
}
