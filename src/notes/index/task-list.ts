/** The tasks of a vault, by day, folder and text. */
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

interface TaskRow {
  readonly path: string;
  readonly line: number;
  readonly done: number;
  readonly text: string;
  readonly due: string | null;
}

const DEFAULT_LIMIT = 50;

/** Those with a day first, the earliest of them first. */
export function taskList(sql: Sql, query: TaskQuery): Page<ListedTask> {
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const [offset = 0] = readCursor(query.cursor);
  const filter = fileCondition(query.prefix === undefined ? {} : { prefix: query.prefix });
  const done = query.done === undefined ? null : query.done ? 1 : 0;
  const { dueAfter: after = null, dueBefore: before = null, contains = null } = query;
  const rows = sql.all<TaskRow>(
    `SELECT f.path, t.line, t.done, t.text, t.due FROM tasks t JOIN files f ON f.id = t.file
      WHERE (? IS NULL OR t.done = ?) AND (? IS NULL OR t.due >= ?) AND (? IS NULL OR t.due <= ?)
        AND (? IS NULL OR contains_text(t.text, ?))${andAlso(filter)}
      ORDER BY t.due IS NULL, t.due, f.path, t.line LIMIT ? OFFSET ?`,
    ...[done, done, after, after, before, before, contains, contains],
    ...filter.values,
    limit + 1,
    offset,
  );
  const tasks = rows.map(({ due, done, ...task }) => ({
    ...task,
    done: done === 1,
    ...(due !== null && { due }),
  }));
  return pageOf(tasks, offset, limit);
}
