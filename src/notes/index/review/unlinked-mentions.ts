import { fitsWiki } from '../../text/spell-link.ts';
import { matchTerm } from '../match-query.ts';
import { namesakes } from '../resolve-name.ts';
import { SECTIONS_PER_NOTE } from '../schema.ts';
import { searchablePhrase } from '../searchable-text.ts';
import { countLineEnds } from '../section-cuts.ts';
import { foldInPlace } from '../snippet.ts';
import type { Sql } from '../sql.ts';
import { lineFix } from './line-fix.ts';
import type { Review, ReviewItem } from './review-item.ts';

/** How many titles one call looks for, and how long; the cursor goes on from there. */
const TITLES_PER_CALL = 200;
const BUDGET_MS = 100;
const SECTIONS_PER_TITLE = 20;
const SHORTEST_TITLE = 5;

interface Named {
  readonly id: number;
  readonly path: string;
  readonly title: string;
}

/** Notes that say another note's title in their text and do not link to it anywhere. */
export const unlinkedMentions: Review = ({ sql, also, values }, offset, limit) => {
  const notes = sql.all<Named>(
    `SELECT f.id, f.path, f.title FROM files f
      WHERE f.kind = 'note' AND f.skipped IS NULL AND length(f.title) >= ${SHORTEST_TITLE}${also}
      ORDER BY f.path LIMIT ${TITLES_PER_CALL} OFFSET ?`,
    ...values,
    offset,
  );
  const items: ReviewItem[] = [];
  const deadline = performance.now() + BUDGET_MS;
  for (const [index, note] of notes.entries()) {
    const isLate = index > 0 && performance.now() > deadline;
    if (items.length >= limit || isLate) return { items, next: offset + index };
    const item = mentionOf(sql, note);
    if (item) items.push(item);
  }
  return { items, next: notes.length === TITLES_PER_CALL ? offset + notes.length : -1 };
};

/** One mention a title: when it has become a link, the next one is found. */
function mentionOf(sql: Sql, note: Named): ReviewItem | undefined {
  const phrase = searchablePhrase(note.title);
  if (!phrase) return undefined;
  const rows = sql.all<{ id: number; path: string; source: number; line: number; text: string }>(
    `SELECT s.id, f.path, f.id AS source, s.line, s.text FROM (
        SELECT rowid AS id FROM sections_fts WHERE sections_fts MATCH ? LIMIT ${SECTIONS_PER_TITLE}
      ) hit CROSS JOIN sections s ON s.id = hit.id CROSS JOIN files f ON f.id = hit.id / ${SECTIONS_PER_NOTE}
      WHERE f.id <> ? AND NOT EXISTS
        (SELECT 1 FROM links l WHERE l.source = f.id AND l.destination = ?)`,
    `body : ${matchTerm(phrase)}`,
    note.id,
    note.id,
  );
  const title = foldInPlace(note.title);
  for (const row of rows) {
    const at = foldInPlace(row.text).indexOf(title);
    if (at === -1) continue;
    const line = row.line + countLineEnds(row.text.slice(0, at));
    return {
      kind: 'unlinked_mention',
      path: row.path,
      line,
      detail: `it says "${note.title}" without a link to "${note.path}"`,
      ...lineFix(sql, { id: row.source, path: row.path }, line, (text) => linked(sql, text, note)),
    };
  }
  return undefined;
}

/** The line with its one mention as a link; undefined where it stands in code or in a link. */
function linked(sql: Sql, line: string, note: Named): string | undefined {
  const folded = foldInPlace(line);
  const title = foldInPlace(note.title);
  const at = folded.indexOf(title);
  if (at === -1 || at !== folded.lastIndexOf(title) || /[`[\]<>]/.test(line)) return undefined;
  const written = line.slice(at, at + title.length);
  const isUnique = namesakes(sql, note.path).length === 1;
  const whole = isUnique ? note.path.slice(note.path.lastIndexOf('/') + 1) : note.path;
  const name = whole.replace(/\.md$/i, '');
  if (!fitsWiki(name)) return undefined;
  const link = written === name ? `[[${name}]]` : `[[${name}|${written}]]`;
  return line.slice(0, at) + link + line.slice(at + title.length);
}
