/** The tasks of a vault, filtered by state, due date, folder and text. */
import { isUsualState } from '../../markdown/tasks.ts';
import type { Sql } from '../store/sql.ts';
import { type Page, pageOf, readPlace } from './cursor.ts';
import { andAlso, fileCondition } from './file-filter.ts';

export interface TaskQuery {
  readonly prefix?: string;
  /** Both open and done tasks if absent. */
  readonly done?: boolean;
  /** Such as `/` or `DOING`. */
  readonly state?: string;
  readonly contains?: string;
  /** Inclusive dates such as 2026-11-15; they exclude tasks without a due date. */
  readonly dueAfter?: string;
  readonly dueBefore?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListedTask {
  readonly path: string;
  readonly line: number;
  readonly done: boolean;
  /** Unless `done` says it all. */
  readonly state?: string;
  readonly text: string;
  readonly due?: string;
}

interface TaskRow {
  readonly path: string;
  readonly line: number;
  readonly done: number;
  readonly state: string;
  readonly text: string;
  readonly due: string | null;
}

const DEFAULT_LIMIT = 50;

/** Sorted by due date; tasks without one come last. */
export function taskList(sql: Sql, query: TaskQuery): Page<ListedTask> {
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const [path = '', line = 0, day = ''] = readPlace(query.cursor, ['text', 'number', 'text']) ?? [];
  const filter = fileCondition({ prefix: query.prefix });
  const done = query.done === undefined ? null : query.done ? 1 : 0;
  const { dueAfter: after = null, dueBefore: before = null, contains = null, state = null } = query;
  const rows = sql.all<TaskRow>(
    `SELECT f.path, t.line, t.done, t.state, t.text, t.due FROM tasks t JOIN files f ON f.id = t.file
      WHERE (? IS NULL OR t.done = ?) AND (? IS NULL OR t.state = ?) AND (? IS NULL OR t.due >= ?) AND (? IS NULL OR t.due <= ?)
        AND (? IS NULL OR contains_text(t.text, ?))
        AND (ifnull(t.due, ?), f.path, t.line) >= (?, ?, ?)${andAlso(filter)}
      ORDER BY t.due IS NULL, t.due, f.path, t.line LIMIT ?`,
    ...[done, done, state, state, after, after, before, before, contains, contains],
    ...[NO_DAY, day, path, line],
    ...filter.values,
    limit + 1,
  );
  return pageOf(
    rows,
    limit,
    ({ due, done, state, ...task }) => ({
      ...task,
      done: done === 1,
      ...(!isUsualState(state) && { state }),
      ...(due !== null && { due }),
    }),
    ({ due, ...task }) => [task.path, task.line, due ?? NO_DAY],
  );
}

/** Sorts after every date. */
const NO_DAY = 'none';
