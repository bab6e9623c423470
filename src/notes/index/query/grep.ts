/** Lines of notes that contain a text or match a regular expression. */
import { IndexError } from '../store/index-error.ts';
import type { Sql } from '../store/sql.ts';
import { readPlace, writePlace } from './cursor.ts';
import { fileCondition } from './file-filter.ts';
import { noteTexts } from './note-texts.ts';

export interface GrepQuery {
  readonly pattern: string;
  readonly regex?: boolean;
  readonly caseSensitive?: boolean;
  readonly prefix?: string;
  /** The number of lines to show before and after a match. */
  readonly context?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface GrepMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_CONTEXT = 10;
const MAX_LINE_LENGTH = 400;
const MAX_LEAD_LENGTH = 100;
const MAX_PATTERN_LENGTH = 1000;
/** A page ends after this time, with a cursor; the thread's timeout bounds a single note. */
const BUDGET_MS = 1500;

/** Runs in a thread with a timeout, because a regular expression may never return (ReDoS). */
export function grep(sql: Sql, query: GrepQuery): GrepResult {
  const find = lineSearch(query);
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const context = Math.min(Math.max(0, query.context ?? 0), MAX_CONTEXT);
  const [from = '', firstLine = 0] = readPlace(query.cursor, ['text', 'number']) ?? [];
  const deadline = performance.now() + BUDGET_MS;
  const found: GrepMatch[] = [];
  const filter = fileCondition({ prefix: query.prefix });
  for (const note of noteTexts(sql, filter, String(from))) {
    const at = (line: number) => writePlace([note.path, line]);
    if (performance.now() > deadline) return { matches: found, cursor: at(0) };
    const lines = linesOf(note.text);
    const first = note.path === from ? Math.max(0, Number(firstLine)) : 0;
    for (let index = first; index < lines.length; index++) {
      const column = find(lines[index]!);
      if (column === -1) continue;
      if (found.length === limit) return { matches: found, cursor: at(index) };
      found.push({
        path: note.path,
        line: index + 1,
        text: excerpt(lines[index]!, column),
        ...(context > 0 && {
          before: lines.slice(Math.max(0, index - context), index).map((line) => excerpt(line)),
          after: lines.slice(index + 1, index + 1 + context).map((line) => excerpt(line)),
        }),
      });
    }
  }
  return { matches: found };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Returns a function that finds the pattern in a line, or -1. */
function lineSearch(query: GrepQuery): (line: string) => number {
  if (query.pattern === '' || query.pattern.length > MAX_PATTERN_LENGTH) {
    throw new IndexError(
      'invalid_arguments',
      `the pattern must have 1 to ${MAX_PATTERN_LENGTH} characters; shorten it`,
    );
  }
  if (query.regex) {
    const expression = compile(query.pattern, query.caseSensitive ? 'u' : 'iu');
    return (line) => line.search(expression);
  }
  if (query.caseSensitive) return (line) => line.indexOf(query.pattern);
  const wanted = query.pattern.toLowerCase();
  return (line) => line.toLowerCase().indexOf(wanted);
}

function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^[^:]*: /, '') : 'unknown';
    throw new IndexError('regex_invalid', `not a regular expression: ${reason}; fix the pattern`);
  }
}

/** A long line is cut to the text around the column. */
function excerpt(line: string, column = 0): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const start = Math.max(0, column - MAX_LEAD_LENGTH);
  const text = line.slice(start, start + MAX_LINE_LENGTH).toWellFormed();
  return `${start > 0 ? '…' : ''}${text}${start + MAX_LINE_LENGTH < line.length ? '…' : ''}`;
}
