/** File filters of queries, as SQL: by folder, name, tag, frontmatter and time. */
import type { SQLInputValue } from 'node:sqlite';
import { foldTag } from '../content/indexed-note.ts';
import { foldProperty } from '../content/note-properties.ts';
import { IndexError } from '../store/index-error.ts';

export const WHERE_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'exists',
  'missing',
] as const;
export type WhereOperator = (typeof WHERE_OPERATORS)[number];

/** A condition on the frontmatter. One item of a list must match; for `ne`, all must. */
export interface Where {
  /** Nested keys are joined by dots. */
  readonly key: string;
  readonly op: WhereOperator;
  readonly value?: string | number | boolean;
}

export interface FileFilter {
  /** A folder, or one file. */
  readonly prefix?: string | undefined;
  readonly glob?: string;
  /** A prefix of the path and a part of the file name, both ignoring case. */
  readonly pathStart?: string;
  readonly namePart?: string;
  /** All must match; `project` also matches `project/garden`. */
  readonly tags?: readonly string[];
  readonly where?: readonly Where[];
  readonly modifiedAfterMs?: number;
  readonly modifiedBeforeMs?: number;
}

export interface Condition {
  /** On the table `files f`; empty if every file matches. */
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const MAX_CONDITIONS = 20;

const COMPARISONS = { eq: '=', ne: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

export function fileCondition(filter: FileFilter): Condition {
  const parts: Condition[] = [];
  const add = (sql: string, ...values: SQLInputValue[]) => parts.push({ sql, values });
  const prefix = filter.prefix?.replace(/^\/+|\/+$/g, '');
  if (prefix)
    add('(f.path = ? OR (f.path >= ? AND f.path < ?))', prefix, `${prefix}/`, `${prefix}0`);
  if (filter.glob !== undefined) add('matches_glob(?, f.path)', filter.glob);
  if (filter.pathStart !== undefined) add('path_starts(?, f.path)', filter.pathStart);
  if (filter.namePart !== undefined) add('name_holds(?, f.path)', filter.namePart);
  for (const tag of filter.tags ?? []) {
    const key = foldTag(tag);
    const below = 'SELECT file FROM tags WHERE key = ? OR (key >= ? AND key < ?)';
    add(`f.id IN (${below})`, key, `${key}/`, `${key}0`);
  }
  for (const where of filter.where ?? []) parts.push(whereCondition(where));
  if (filter.modifiedAfterMs !== undefined) add('f.mtime_ms >= ?', filter.modifiedAfterMs);
  if (filter.modifiedBeforeMs !== undefined) add('f.mtime_ms < ?', filter.modifiedBeforeMs);
  if (parts.length > MAX_CONDITIONS) {
    throw new IndexError('invalid_arguments', `more than ${MAX_CONDITIONS} conditions; use fewer`);
  }
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}

/** The condition with ` AND ` in front; empty if there is none. */
export function andAlso({ sql }: Condition): string {
  return sql === '' ? '' : ` AND ${sql}`;
}

function whereCondition({ key, op, value }: Where): Condition {
  const test = valueTest(op, value);
  const name = foldProperty(key);
  const isAsked = op === 'exists' || op === 'missing';
  // A key whose value is a mapping exists, too.
  const keys = isAsked ? '(p.key = ? OR (p.key >= ? AND p.key < ?))' : 'p.key = ?';
  const sql = `EXISTS (SELECT 1 FROM properties p WHERE p.file = f.id AND ${keys}${test.sql})`;
  const negated = op === 'ne' || op === 'missing';
  return {
    sql: negated ? `NOT ${sql}` : sql,
    values: [name, ...(isAsked ? [`${name}.`, `${name}/`] : []), ...test.values],
  };
}

function valueTest(op: WhereOperator, value: Where['value']): Condition {
  if (op === 'exists' || op === 'missing') return { sql: '', values: [] };
  if (value === undefined) {
    throw new IndexError('invalid_arguments', `where with "${op}" needs a value; give one`);
  }
  const text = foldProperty(String(value));
  if (op === 'contains') return { sql: ' AND instr(p.text, ?) > 0', values: [text] };
  const sign = COMPARISONS[op];
  if (typeof value === 'number') return { sql: ` AND p.number ${sign} ?`, values: [value] };
  if (sign === '=') return { sql: ' AND p.text = ?', values: [text] };
  // A number in text form is compared as a number. A key without a value matches no comparison.
  const number = text.trim() === '' || typeof value === 'boolean' ? Number.NaN : Number(text);
  return Number.isFinite(number)
    ? {
        sql: ` AND p.text <> '' AND ifnull(p.number ${sign} ?, p.text ${sign} ?)`,
        values: [number, text],
      }
    : { sql: ` AND p.text <> '' AND p.text ${sign} ?`, values: [text] };
}
