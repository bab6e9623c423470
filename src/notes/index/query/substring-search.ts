import { countLineEnds } from '../content/section-cuts.ts';
import { foldText, foldWithPlaces } from '../store/folded-text.ts';
import type { Sql } from '../store/sql.ts';
import { readPlace, writePlace } from './cursor.ts';
import { fileCondition } from './file-filter.ts';
import { noteTexts } from './note-texts.ts';
import type { SearchHit, SearchQuery, SearchResult } from './search-query.ts';
import { makeSnippet } from './snippet.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/** How long one call looks before it hands out what it has, and a cursor to go on from. */
const BUDGET_MS = 1500;

/**
 * Notes that hold the query as it is written, case and accents aside. Every text is read, so this
 * runs where nobody waits behind it.
 */
export function findSubstring(sql: Sql, query: SearchQuery): SearchResult {
  const wanted = foldText(query.query.toWellFormed());
  if (wanted === '') return { items: [] };
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const [from = ''] = readPlace(query.cursor, ['text']) ?? [];
  const deadline = performance.now() + BUDGET_MS;
  const items: SearchHit[] = [];
  for (const note of noteTexts(sql, fileCondition(query), String(from))) {
    if (items.length === limit || performance.now() > deadline) {
      return { items, cursor: writePlace([note.path]) };
    }
    const at = foldText(note.text).indexOf(wanted);
    if (at === -1 && !foldText(note.title).includes(wanted)) continue;
    items.push(hit(note, at === -1 ? 0 : foldWithPlaces(note.text).originOf(at)));
  }
  return { items };
}

function hit(note: { path: string; title: string; text: string }, at: number): SearchHit {
  const from = Math.max(0, note.text.lastIndexOf('\n', at - 1) + 1, at - 60);
  return {
    path: note.path,
    title: note.title,
    heading_path: [],
    line: 1 + countLineEnds(note.text.slice(0, at)),
    snippet: makeSnippet(note.text.slice(from, from + 400), 0, []).text,
    score: 0,
  };
}
