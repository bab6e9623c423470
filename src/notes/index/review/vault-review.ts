/** All kinds of review, page by page. */
import { DAY_MS } from '../../../core/time.ts';
import { DEFAULT_LINK_STYLE, type LinkStyle } from '../../links/new-link.ts';
import { dayOf } from '../../text/day.ts';
import { readCursor, writeCursor } from '../query/cursor.ts';
import { andAlso, fileCondition } from '../query/file-filter.ts';
import type { Sql } from '../store/sql.ts';
import { type KeptFolders, NO_KEPT_FOLDERS } from './kept-notes.ts';
import { ambiguousLinks, brokenAnchors, brokenLinks } from './link-reviews.ts';
import {
  conflictCopies,
  duplicates,
  malformedFrontmatter,
  openTasks,
  orphans,
  stale,
  stubs,
  unusedAttachments,
} from './note-reviews.ts';
import {
  marked,
  REVIEW_KINDS,
  type Review,
  type ReviewItem,
  type ReviewKind,
  type ReviewScope,
} from './review-item.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

export interface ReviewQuery {
  readonly only?: readonly ReviewKind[];
  readonly prefix?: string;
  readonly staleAfterMs?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly nowMs: number;
  readonly linkStyle?: LinkStyle;
  readonly kept?: KeptFolders;
}

export interface ReviewResult {
  readonly items: readonly ReviewItem[];
  readonly cursor?: string;
}

const REVIEWS: Readonly<Record<ReviewKind, Review>> = {
  conflict_copy: conflictCopies,
  malformed_frontmatter: malformedFrontmatter,
  broken_link: brokenLinks,
  broken_anchor: brokenAnchors,
  ambiguous_link: ambiguousLinks,
  open_task: openTasks,
  duplicate: duplicates,
  stub: stubs,
  orphan: orphans,
  unlinked_mention: unlinkedMentions,
  stale: stale,
  unused_attachment: unusedAttachments,
};

const DEFAULT_LIMIT = 15;
const MAX_LIMIT = 100;
const YEAR_MS = 365 * DAY_MS;
const DONE = -1;

/**
 * Every kind gets a share of each page, so that a thousand stubs do not hide one broken link.
 * Unused shares go to the kinds with more items.
 */
export function vaultReview(sql: Sql, query: ReviewQuery): ReviewResult {
  const limit = Math.min(Math.max(1, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const kinds = REVIEW_KINDS.filter((kind) => query.only?.includes(kind) ?? true);
  const offsets = readCursor(query.cursor, kinds.length, DONE);
  const scope = scopeOf(sql, query);
  const found = kinds.map((): ReviewItem[] => []);
  let left = limit;
  for (let round = 0; left > 0 && offsets.some((offset) => offset !== DONE); round++) {
    const open = offsets.filter((offset) => offset !== DONE).length;
    const share = Math.max(1, Math.floor(left / open));
    for (const [index, kind] of kinds.entries()) {
      if (left === 0 || offsets[index] === DONE) continue;
      const { items, next } = REVIEWS[kind](scope, offsets[index]!, Math.min(share, left));
      found[index]!.push(...items);
      left -= items.length;
      offsets[index] = next;
    }
    if (round + 1 === MAX_ROUNDS) break;
  }
  const more = offsets.some((offset) => offset !== DONE);
  return { items: found.flat().map(marked), ...(more && { cursor: writeCursor(offsets) }) };
}

/** Kinds with a bounded search per call may find nothing for a few rounds. */
const MAX_ROUNDS = 3;

function scopeOf(sql: Sql, query: ReviewQuery): ReviewScope {
  const filter = fileCondition({ prefix: query.prefix });
  return {
    sql,
    also: andAlso(filter),
    values: filter.values,
    staleBeforeMs: query.nowMs - (query.staleAfterMs ?? YEAR_MS),
    today: dayOf(new Date(query.nowMs)),
    linkStyle: query.linkStyle ?? DEFAULT_LINK_STYLE,
    kept: query.kept ?? NO_KEPT_FOLDERS,
  };
}
