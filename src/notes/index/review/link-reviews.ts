/** Reviews of broken links, ambiguous links and broken anchors. */
import { pathProblem } from '../../files/vault-path.ts';
import { fitsWiki } from '../../links/spell-link.ts';
import { anchorFor, HeadingNames } from '../../markdown/anchor.ts';
import { mostSimilar } from '../../text/similar.ts';
import { noteText } from '../query/note-texts.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { hasPlaceholder, isTemplate } from './kept-notes.ts';
import { linkFix } from './link-fix.ts';
import { type Review, type ReviewFix, type ReviewItem, reviewBy } from './review-item.ts';

interface LinkRow {
  readonly id: number;
  readonly path: string;
  readonly place: number;
  readonly line: number;
  readonly kind: string;
  readonly target: string;
  readonly anchor: string | null;
  readonly destination: number;
  readonly to: string;
}

const LINK = `
  SELECT f.id, f.path, l.place, l.line, l.kind, l.target, l.anchor, l.destination, d.path AS "to"
  FROM files f JOIN links l ON l.source = f.id LEFT JOIN files d ON d.id = l.destination`;

export const brokenLinks = reviewBy<LinkRow>(
  ({ also, values }) => ({
    sql: `${LINK} WHERE l.destination IS NULL${also} ORDER BY f.path, l.place`,
    values,
  }),
  ({ path, line, target, kind }, { sql, kept }) => ({
    kind: 'broken_link',
    path,
    line,
    detail: `"${target}" names no note`,
    ...(!isTemplate(path, kept) && creatingFix(sql, kind, target)),
  }),
);

/** The fix of a link to a missing note creates the note. */
function creatingFix(sql: Sql, kind: string, target: string): { fix?: ReviewFix } {
  if (
    hasPlaceholder(target) ||
    kind === 'image' ||
    /\.(?!md$)[a-z0-9]{2,5}$/i.test(target) ||
    target.startsWith('.')
  )
    return {};
  const path = `${target.replace(/^\/+/, '').replace(/\.md$/i, '')}.md`;
  const title = path.slice(path.lastIndexOf('/') + 1, -3);
  if (title.trim() === '' || pathProblem(path) !== undefined) return {};
  const spelt = inKnownFolders(sql, path);
  return { fix: { tool: 'note_create', arguments: { path: spelt, content: `# ${title}\n` } } };
}

/** The path with its folders spelt as on disk: a link may have `Work/x` for `work/x`. */
function inKnownFolders(sql: Sql, path: string): string {
  const names = path.split('/');
  let folder = '';
  for (const [depth, name] of names.slice(0, -1).entries()) {
    const asked = `${folder}${name}/`;
    const found =
      sql.get<{ path: string }>(
        'SELECT path FROM files WHERE path >= ? AND path < ? LIMIT 1',
        asked,
        `${asked.slice(0, -1)}0`,
      ) ??
      sql.get<{ path: string }>(
        `SELECT path FROM files WHERE path LIKE ? ESCAPE '\\' LIMIT 1`,
        `${asked.replace(/[\\%_]/g, '\\$&')}%`,
      );
    if (found === undefined) return folder + names.slice(depth).join('/');
    folder = found.path.slice(0, asked.length);
  }
  return folder + names.at(-1);
}

export const ambiguousLinks = reviewBy<LinkRow>(
  ({ also, values }) => ({
    sql: `${LINK} WHERE l.ambiguous = 1${also} ORDER BY f.path, l.place`,
    values,
  }),
  (row, { sql }) => ({
    kind: 'ambiguous_link',
    path: row.path,
    line: row.line,
    detail: `"${row.target}" names several notes; it is resolved to "${row.to}"`,
    ...((row.kind === 'wiki' || row.kind === 'embed') && fitsWiki(row.to) && linkFix(sql, row)),
  }),
);

const ANCHORED_PER_CALL = 500;
/** Comparing with many headings takes long; the cursor resumes after this time. */
const BUDGET_MS = 200;

/** Compares anchors with the present headings, for a bounded number of links per call. */
export const brokenAnchors: Review = ({ sql, also, values }, offset, limit) => {
  const rows = sql.all<LinkRow>(
    `${LINK} WHERE l.anchor IS NOT NULL AND l.anchor <> '' AND d.kind = 'note'
      AND d.skipped IS NULL${also} ORDER BY f.path, l.place LIMIT ${ANCHORED_PER_CALL} OFFSET ?`,
    ...values,
    offset,
  );
  const headings = new Map<number, HeadingNames<Named>>();
  const deadline = performance.now() + BUDGET_MS;
  const items: ReviewItem[] = [];
  for (const [index, row] of rows.entries()) {
    const isLate = index > 0 && performance.now() > deadline;
    if (items.length === limit || isLate) return { items, next: offset + index };
    const item = checkAnchor(sql, row, headings);
    if (item) items.push(item);
  }
  return { items, next: rows.length === ANCHORED_PER_CALL ? offset + rows.length : -1 };
};

interface Named {
  readonly text: string;
}

function checkAnchor(
  sql: Sql,
  row: LinkRow,
  known: Map<number, HeadingNames<Named>>,
): ReviewItem | undefined {
  const { path, line, destination, to } = row;
  const wanted = row.anchor ?? '';
  if (wanted.startsWith('^')) {
    const block = new RegExp(`(?:^|\\s)\\^${RegExp.escape(wanted.slice(1))}\\s*$`, 'm');
    if (block.test(noteText(sql, destination))) return undefined;
    return { kind: 'broken_anchor', path, line, detail: `"${to}" has no block "${wanted}"` };
  }
  const headings = known.get(destination) ?? new HeadingNames(headingsOf(sql, destination));
  known.set(destination, headings);
  // A web site makes anchors of other things, too, such as the terms of a list.
  const isOfSite = row.kind === 'markdown' && row.target.startsWith('/');
  if (isOfSite || headings.find(wanted) !== undefined) return undefined;
  const [near] = mostSimilar(wanted, headingsOf(sql, destination), ({ text }) => text, 1);
  const anchor = near && anchorFor(near.text);
  return {
    kind: 'broken_anchor',
    path,
    line,
    detail: `"${to}" has no heading "${wanted}"`,
    ...(anchor !== undefined && headings.find(anchor) && linkFix(sql, row, anchor)),
  };
}

function headingsOf(sql: Sql, note: number): Named[] {
  const first = note * SECTIONS_PER_NOTE;
  return sql
    .all<{ heading_path: string }>(
      `SELECT DISTINCT heading_path FROM sections WHERE id BETWEEN ? AND ? AND heading_path <> '[]'`,
      first,
      first + SECTIONS_PER_NOTE - 1,
    )
    .map((row) => ({ text: (JSON.parse(row.heading_path) as string[]).at(-1) ?? '' }));
}
