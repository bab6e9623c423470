/** Lines of notes that hold a text or match an expression, page by page. */

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
  /** Lines to show before and after a match. */
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
const MAX_LINE = 400;
const LEAD = 100;
const MAX_PATTERN = 1000;
/** A page ends after this time, with a cursor; a single note that takes longer is another matter. */
const BUDGET_MS = 1500;

/**
 * Lines that match, note by note. It runs in a thread that can be ended: an expression that never
 * comes back from one line takes nobody with it.
 */
export function grep(sql: Sql, query: GrepQuery): GrepResult {
  const find = lineSearch(query);
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const context = Math.min(Math.max(0, query.context ?? 0), MAX_CONTEXT);
  const [from = '', firstLine = 0] = readPlace(query.cursor, ['text', 'number']) ?? [];
  const deadline = performance.now() + BUDGET_MS;
  const found: GrepMatch[] = [];
  const filter = fileCondition(query.prefix === undefined ? {} : { prefix: query.prefix });
  for (const note of noteTexts(sql, filter, String(from))) {
    const at = (line: number) => writePlace([note.path, line]);
    if (performance.now() > deadline) return { matches: found, cursor: at(0) };
    const lines = linesOf(note.text);
    const first = note.path === from ? Math.max(0, Number(firstLine)) : 0;
    for (let index = first; index < lines.length; index++) {
      const place = find(lines[index]!);
      if (place === -1) continue;
      if (found.length === limit) return { matches: found, cursor: at(index) };
      found.push({
        path: note.path,
        line: index + 1,
        text: shown(lines[index]!, place),
        ...(context > 0 && {
          before: lines.slice(Math.max(0, index - context), index).map((line) => shown(line)),
          after: lines.slice(index + 1, index + 1 + context).map((line) => shown(line)),
        }),
      });
    }
  }
  return { matches: found };
}

/** After the last line end there is no line. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Where in a line the pattern is first found, or -1. An expression that is none is refused. */
function lineSearch(query: GrepQuery): (line: string) => number {
  if (query.pattern === '' || query.pattern.length > MAX_PATTERN) {
    throw new IndexError(
      'invalid_arguments',
      `the pattern must have 1 to ${MAX_PATTERN} characters; shorten it`,
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
    throw new IndexError('regex_invalid', `not a regular expression: ${reason}; mend the pattern`);
  }
}

/** A long line is cut to what stands around the place. */
function shown(line: string, place = 0): string {
  if (line.length <= MAX_LINE) return line;
  const start = Math.max(0, place - LEAD);
  const text = line.slice(start, start + MAX_LINE).toWellFormed();
  return `${start > 0 ? '…' : ''}${text}${start + MAX_LINE < line.length ? '…' : ''}`;
}
