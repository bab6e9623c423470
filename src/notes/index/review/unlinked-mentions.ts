import { type LinkStyle, newLink } from '../../links/new-link.ts';
import { fitsWiki } from '../../links/spell-link.ts';
import { searchablePhrase } from '../content/searchable-text.ts';
import { countLineEnds } from '../content/section-cuts.ts';
import { matchTerm } from '../query/match-query.ts';
import { noteText } from '../query/note-texts.ts';
import { namesakes } from '../query/resolve-name.ts';
import { foldText, foldWithPlaces } from '../store/folded-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { lineFix } from './link-fix.ts';
import { proseOf } from './prose.ts';
import type { Review, ReviewItem, ReviewScope } from './review-item.ts';

/** The titles and the time of one call; the cursor resumes after them. */
const TITLES_PER_CALL = 200;
const BUDGET_MS = 100;
/** Most notes that mention a title link to it, so many are checked to find a few that do not. */
const SECTIONS_PER_TITLE = 1000;
const NOTES_PER_TITLE = 20;
/** Parsing a longer note takes too long. */
const MAX_NOTE_LENGTH = 256 * 1024;
const MIN_TITLE_LENGTH = 5;

interface Named {
  readonly id: number;
  readonly path: string;
  readonly title: string;
}

/** Notes that mention another note's title in their prose and have no link to it. */
export const unlinkedMentions: Review = (scope, offset, limit) => {
  const notes = scope.sql.all<Named>(
    `SELECT f.id, f.path, f.title FROM files f
      WHERE f.kind = 'note' AND f.skipped IS NULL AND length(f.title) >= ${MIN_TITLE_LENGTH}
      ORDER BY f.path LIMIT ${TITLES_PER_CALL} OFFSET ?`,
    offset,
  );
  const items: ReviewItem[] = [];
  const deadline = performance.now() + BUDGET_MS;
  for (const [index, note] of notes.entries()) {
    const isLate = index > 0 && performance.now() > deadline;
    if (items.length >= limit || isLate) return { items, next: offset + index };
    const item = mentionOf(scope, note);
    if (item) items.push(item);
  }
  return { items, next: notes.length === TITLES_PER_CALL ? offset + notes.length : -1 };
};

/** One mention per title; after it was fixed, the next one is found. */
function mentionOf(
  { sql, also, values, linkStyle: style }: ReviewScope,
  note: Named,
): ReviewItem | undefined {
  const phrase = searchablePhrase(note.title);
  if (!phrase) return undefined;
  const sources = sql.all<{ id: number; path: string }>(
    `SELECT DISTINCT f.id, f.path FROM (
        SELECT rowid AS id FROM sections_fts WHERE sections_fts MATCH ? LIMIT ${SECTIONS_PER_TITLE}
      ) hit CROSS JOIN files f ON f.id = hit.id / ${SECTIONS_PER_NOTE}
      WHERE f.id <> ? AND f.size <= ${MAX_NOTE_LENGTH} AND NOT EXISTS
        (SELECT 1 FROM links l WHERE l.source = f.id AND l.destination = ?)${also}
      LIMIT ${NOTES_PER_TITLE}`,
    `body : ${matchTerm(phrase)}`,
    note.id,
    note.id,
    ...values,
  );
  const title = foldText(note.title);
  for (const source of sources) {
    const prose = proseOf(noteText(sql, source.id));
    const folded = foldWithPlaces(prose);
    const at = mentionAt(folded.text, title, 0);
    if (at === -1) continue;
    const line = 1 + countLineEnds(prose.slice(0, folded.originOf(at)));
    return {
      kind: 'unlinked_mention',
      path: source.path,
      line,
      detail: `it says "${note.title}" without a link to "${note.path}"`,
      ...lineFix(sql, source, line, (text) =>
        linked(sql, text, {
          note,
          from: source.path,
          style,
          mayHaveLabel: !isInTable(prose, line),
        }),
      ),
    };
  }
  return undefined;
}

/** Whether the line may be in a table, where the `|` of a link would end the cell. */
function isInTable(prose: string, line: number): boolean {
  const lines = prose.split(/\r\n|\n|\r/).slice(0, line);
  const above = lines.findLastIndex((text) => text.trim() === '');
  return lines.slice(above + 1).some((text) => text.includes('|'));
}

interface Mention {
  readonly note: Named;
  /** The note with the line. */
  readonly from: string;
  readonly style: LinkStyle;
  readonly mayHaveLabel: boolean;
}

/** The line with its only mention as a link; undefined if that may be in code or in a link. */
function linked(
  sql: Sql,
  line: string,
  { note, from, style, mayHaveLabel }: Mention,
): string | undefined {
  const folded = foldWithPlaces(line);
  const title = foldText(note.title);
  const at = mentionAt(folded.text, title, 0);
  const hasOthers = mentionAt(folded.text, title, at + 1) !== -1;
  if (at === -1 || hasOthers || /[`[\]<>]/.test(line)) return undefined;
  const [start, end] = [folded.originOf(at), folded.originOf(at + title.length)];
  const written = line.slice(start, end);
  const isUnique = namesakes(sql, note.path).length === 1;
  const link = newLink(style, { from, to: note.path, isUnique, label: written });
  if (!fitsWiki(note.path) || (link.includes('|') && !mayHaveLabel)) return undefined;
  return line.slice(0, start) + link + line.slice(end);
}

/**
 * The offset of a title as a separate word, not in an address, a tag or a path; or -1. Both are
 * folded.
 */
function mentionAt(text: string, title: string, from: number): number {
  for (let at = text.indexOf(title, from); at !== -1; at = text.indexOf(title, at + 1)) {
    const end = at + title.length;
    if (!isInWord(text, at) && !isInWord(text, end) && !isInAddress(text, at, end)) return at;
  }
  return -1;
}

/** Scripts without spaces (above U+0FFF) have no visible word boundaries. */
function isInWord(text: string, at: number): boolean {
  return IN_WORD.test(text.slice(Math.max(0, at - 1), at + 1));
}

const IN_WORD = /^(?=[\0-\u0fff]{2})[\p{L}\p{M}\p{N}]{2}$/u;

/** How far the surrounding text without spaces is checked, on either side. */
const MAX_RUN_LENGTH = 500;

/** A link inside `https://a.b/title`, `#title`, `title@a.b` or `title.ts` would break it. */
function isInAddress(text: string, start: number, end: number): boolean {
  const [before] = /\S*$/.exec(text.slice(Math.max(0, start - MAX_RUN_LENGTH), start)) ?? [''];
  const [after] = /^\S*/.exec(text.slice(end, end + MAX_RUN_LENGTH)) ?? [''];
  return ENDS_ADDRESS.test(before) || IN_TAG.test(before) || STARTS_ADDRESS.test(after);
}

const ENDS_ADDRESS = /[#@/:]$|[\p{L}\p{N}]\.$|:\/\/|@/u;
const IN_TAG = /(?:^|[^\p{L}\p{N}])#[\p{L}\p{M}\p{N}_/-]*$/u;
const STARTS_ADDRESS = /^[#@/]|^:\S|^\.[\p{L}\p{N}]|^[\p{L}\p{N}._+-]*@/u;
