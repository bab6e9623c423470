import { fitsWiki } from '../../links/spell-link.ts';
import { searchablePhrase } from '../content/searchable-text.ts';
import { countLineEnds } from '../content/section-cuts.ts';
import { matchTerm } from '../query/match-query.ts';
import { noteText } from '../query/note-texts.ts';
import { namesakes } from '../query/resolve-name.ts';
import { foldText, foldWithPlaces } from '../store/folded-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { lineFix } from './line-fix.ts';
import { mentionAt } from './mention-at.ts';
import { proseOf } from './prose.ts';
import type { Review, ReviewItem, ReviewScope } from './review-item.ts';

/** How many titles one call looks for, and how long; the cursor goes on from there. */
const TITLES_PER_CALL = 200;
const BUDGET_MS = 100;
/** Most notes that say a title may link to it, so many are looked at for a few that do not. */
const SECTIONS_PER_TITLE = 1000;
const NOTES_PER_TITLE = 20;
/** A longer one takes too long to be told into prose and code. */
const MAX_NOTE_LENGTH = 256 * 1024;
const MIN_TITLE_LENGTH = 5;

interface Named {
  readonly id: number;
  readonly path: string;
  readonly title: string;
}

/** Notes that say another note's title in their text and do not link to it anywhere. */
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

/** One mention a title: when it has become a link, the next one is found. */
function mentionOf({ sql, also, values }: ReviewScope, note: Named): ReviewItem | undefined {
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
      ...lineFix(sql, source, line, (text) => linked(sql, text, note, !isInTable(prose, line))),
    };
  }
  return undefined;
}

/** Whether the line may be of a table, where the `|` of a link would end the cell. */
function isInTable(prose: string, line: number): boolean {
  const lines = prose.split(/\r\n|\n|\r/).slice(0, line);
  const above = lines.findLastIndex((text) => text.trim() === '');
  return lines.slice(above + 1).some((text) => text.includes('|'));
}

/** The line with its one mention as a link; undefined where it may stand in code or in a link. */
function linked(sql: Sql, line: string, note: Named, mayHaveLabel: boolean): string | undefined {
  const folded = foldWithPlaces(line);
  const title = foldText(note.title);
  const at = mentionAt(folded.text, title, 0);
  const hasOthers = mentionAt(folded.text, title, at + 1) !== -1;
  if (at === -1 || hasOthers || /[`[\]<>]/.test(line)) return undefined;
  const [start, end] = [folded.originOf(at), folded.originOf(at + title.length)];
  const written = line.slice(start, end);
  const isUnique = namesakes(sql, note.path).length === 1;
  const whole = isUnique ? note.path.slice(note.path.lastIndexOf('/') + 1) : note.path;
  const name = whole.replace(/\.md$/i, '');
  if (!fitsWiki(name) || (written !== name && !mayHaveLabel)) return undefined;
  const link = written === name ? `[[${name}]]` : `[[${name}|${written}]]`;
  return line.slice(0, start) + link + line.slice(end);
}
