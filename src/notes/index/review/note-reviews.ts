/** Reviews of single files: each is a query, a description of a row, and a fix. */
import { pathProblem } from '../../files/vault-path.ts';
import { dayOf } from '../../text/day.ts';
import { searchablePhrase } from '../content/searchable-text.ts';
import { matchTerm } from '../query/match-query.ts';
import { noteText } from '../query/note-texts.ts';
import { ORPHANS } from '../query/vault-stats.ts';
import type { Sql } from '../store/sql.ts';
import { isAlikeOnPurpose, isTemplate } from './kept-notes.ts';
import { type Review, type ReviewFix, type ReviewItem, reviewBy } from './review-item.ts';

const STUB_WORDS = 15;

/** A canvas or a base is a person's work, whether or not a note links to it. */
const IS_NO_DOCUMENT = `f.path NOT LIKE '%.canvas' AND f.path NOT LIKE '%.base'`;
const IS_NOTE = `f.kind = 'note' AND f.skipped IS NULL`;

export const stubs = reviewBy<{ id: number; path: string; words: number }>(
  ({ also, values }) => ({
    sql: `SELECT f.id, f.path, f.words FROM files f
      WHERE ${IS_NOTE} AND f.words < ${STUB_WORDS}${also} ORDER BY f.words, f.path`,
    values,
  }),
  ({ id, path, words }, { sql, kept }) => {
    if (words === 1) return { kind: 'stub', path, detail: 'it has 1 word' };
    if (words > 1) return { kind: 'stub', path, detail: `it has ${words} words` };
    // Frontmatter, an empty task or a picture has no words, but is content.
    const isEmpty = noteText(sql, id).trim() === '' && !isTemplate(path, kept);
    return isEmpty
      ? { kind: 'stub', path, detail: 'it is empty', fix: deletionOf(path) }
      : { kind: 'stub', path, detail: 'it has no words' };
  },
);

export const orphans = reviewBy<{ path: string }>(
  ({ also, values }) => ({
    sql: `SELECT f.path FROM ${ORPHANS}${also} ORDER BY f.path`,
    values,
  }),
  ({ path }) => ({
    kind: 'orphan',
    path,
    detail: 'no note links to it and it links to none',
    fix: { tool: 'note_related', arguments: { path } },
  }),
);

export const stale = reviewBy<{ path: string; mtime_ms: number }>(
  ({ also, values, staleBeforeMs }) => ({
    sql: `SELECT f.path, f.mtime_ms FROM files f WHERE ${IS_NOTE} AND f.mtime_ms < ?${also}
      ORDER BY f.mtime_ms, f.path`,
    values: [staleBeforeMs, ...values],
  }),
  ({ path, mtime_ms }) => ({
    kind: 'stale',
    path,
    detail: `last changed on ${dayOf(new Date(mtime_ms))}`,
  }),
);

export const malformedFrontmatter = reviewBy<{ path: string; problem: string }>(
  ({ also, values }) => ({
    sql: `SELECT f.path, f.problem FROM files f WHERE f.problem IS NOT NULL${also} ORDER BY f.path`,
    values,
  }),
  ({ path, problem }) => ({ kind: 'malformed_frontmatter', path, line: 1, detail: problem }),
);

export const openTasks = reviewBy<{ path: string; line: number; text: string; due: string | null }>(
  ({ also, values, today }) => ({
    sql: `SELECT f.path, t.line, t.text, t.due FROM tasks t JOIN files f ON f.id = t.file
      WHERE t.done = 0${also} ORDER BY ifnull(t.due < ?, 0) DESC, t.due IS NULL, t.due, f.path, t.line`,
    values: [...values, today],
  }),
  ({ path, line, text, due }, { today }) => ({
    kind: 'open_task',
    path,
    line,
    detail: `${due === null ? '' : due < today ? `overdue since ${due}: ` : `due ${due}: `}${text.slice(0, 200)}`,
  }),
);

export const duplicates: Review = ({ sql, also, values, kept }, offset, limit) => {
  const rows = sql.all<{ path: string; hash: string; problem: string | null; within: number }>(
    `SELECT f.path, f.body_hash AS hash, f.problem, (1=1${also}) AS within FROM (
        SELECT body_hash FROM files WHERE body_hash IS NOT NULL
        GROUP BY body_hash HAVING count(*) > 1
      ) twins JOIN files f ON f.body_hash = twins.body_hash ORDER BY f.path`,
    ...values,
  );
  const firsts = new Map<string, (typeof rows)[number]>();
  const found: ReviewItem[] = [];
  for (const row of rows) {
    if (isAlikeOnPurpose(row.path, kept)) continue;
    const first = firsts.get(row.hash);
    if (first === undefined) firsts.set(row.hash, row);
    else if (row.within) found.push(duplicateOf(row.path, first));
  }
  const items = found.slice(offset, offset + limit);
  return { items, next: found.length > offset + limit ? offset + limit : -1 };
};

function duplicateOf(
  path: string,
  { path: first, problem }: { readonly path: string; readonly problem: string | null },
): ReviewItem {
  const detail = `it has the same text and properties as "${first}"`;
  const fix = { tool: 'note_merge', arguments: { path, into: first } };
  return { kind: 'duplicate', path, detail, ...(problem === null && { fix }) };
}

export const unusedAttachments = reviewBy<{ path: string; size: number }>(
  ({ also, values }) => ({
    sql: `SELECT f.path, f.size FROM files f WHERE f.kind = 'attachment' AND ${IS_NO_DOCUMENT}
      AND NOT EXISTS (SELECT 1 FROM links l WHERE l.destination = f.id)${also} ORDER BY f.path`,
    values,
  }),
  ({ path, size }, { sql }) =>
    isNameMentioned(sql, path)
      ? {
          kind: 'unused_attachment',
          path,
          detail: `no note links to it, but one says its name; it has ${size} bytes`,
        }
      : {
          kind: 'unused_attachment',
          path,
          detail: `no note shows or links to it; it has ${size} bytes`,
          fix: deletionOf(path),
        },
);

/**
 * Whether any note contains the file name, for example in `<img src>` or `cover:`, which are not
 * links. False positives are possible.
 */
function isNameMentioned(sql: Sql, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toWellFormed();
  const phrases = spellings(name).flatMap((spelt) => searchablePhrase(spelt) ?? []);
  if (phrases.length === 0) return false;
  const query = phrases.map(matchTerm).join(' OR ');
  const found = sql.get('SELECT 1 FROM sections_fts WHERE sections_fts MATCH ? LIMIT 1', query);
  return found !== undefined;
}

/** The name as it is, and as escaped in HTML and URLs. */
function spellings(name: string): string[] {
  const forms = [name.normalize('NFC'), name.normalize('NFD')];
  const all = forms.flatMap((form) => [
    form,
    form.replaceAll('&', '&amp;'),
    encodeURI(form),
    encodeURIComponent(form),
    encodeURIComponent(form).replace(/[!'()*]/g, percent),
  ]);
  return [...new Set(all)];
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function deletionOf(path: string): ReviewFix {
  return { tool: 'note_delete', arguments: { path } };
}

/** The names that sync programs give to conflicted copies. */
const CONFLICT =
  /^(.*?)(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?|[ _-]*\((?:[^()]*['’]s )?(?:conflict|conflicted copy|conflicted)[^()]*\)|[ _.-]conflict(?:ed)?(?:[ _.-]copy)?(?:[ _.-]?[\d-]+)?)(\.[a-z0-9]+)?$/i;

export const conflictCopies: Review = ({ sql, also, values }, offset, limit) => {
  const rows = sql.all<{ path: string }>(
    `SELECT f.path FROM files f WHERE f.path LIKE '%conflict%'${also} ORDER BY f.path`,
    ...values,
  );
  const copies = rows.flatMap(({ path }): ReviewItem[] => {
    const match = CONFLICT.exec(path.slice(path.lastIndexOf('/') + 1));
    if (!match) return [];
    const original = path.slice(0, path.lastIndexOf('/') + 1) + match[1] + (match[2] ?? '');
    const there = sql.get<Mergeable>(MERGEABLE, original);
    const detail = `a conflicted copy of "${original}"${there ? '' : ', which is gone'}`;
    return [{ kind: 'conflict_copy', path, detail, ...conflictFix(path, original, there) }];
  });
  const items = copies.slice(offset, offset + limit);
  return { items, next: copies.length > offset + limit ? offset + limit : -1 };
};

interface Mergeable {
  readonly kind: string;
  readonly problem: string | null;
  readonly skipped: string | null;
}

const MERGEABLE = 'SELECT kind, problem, skipped FROM files WHERE path = ?';

/** Attachments and notes with invalid frontmatter cannot be merged. */
function conflictFix(
  path: string,
  original: string,
  there: Mergeable | undefined,
): { fix?: ReviewFix } {
  if (pathProblem(original) !== undefined) return {};
  if (there === undefined) {
    return { fix: { tool: 'note_move', arguments: { path, to: original } } };
  }
  const canMerge = there.kind === 'note' && there.problem === null && there.skipped === null;
  return canMerge ? { fix: { tool: 'note_merge', arguments: { path, into: original } } } : {};
}
