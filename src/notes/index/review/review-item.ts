/** The findings of reviews, and the type of a review. */

import type { SQLInputValue } from 'node:sqlite';
import type { LinkStyle } from '../../links/new-link.ts';
import type { Sql } from '../store/sql.ts';
import type { KeptFolders } from './kept-notes.ts';

export const REVIEW_KINDS = [
  'conflict_copy',
  'malformed_frontmatter',
  'broken_link',
  'broken_anchor',
  'ambiguous_link',
  'open_task',
  'duplicate',
  'stub',
  'orphan',
  'unlinked_mention',
  'stale',
  'unused_attachment',
] as const;

export type ReviewKind = (typeof REVIEW_KINDS)[number];

export interface ReviewFix {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What it does to a person's work; as it stands it is a dry run then. */
  readonly effect?: FixEffect;
}

export type FixEffect = 'removes' | 'rewrites';

const EFFECTS: Readonly<Record<string, FixEffect>> = {
  note_delete: 'removes',
  note_merge: 'removes',
  note_edit: 'rewrites',
  note_move: 'rewrites',
};

/** Marks a fix that removes or rewrites, and makes it a dry run, which a caller must lift. */
export function marked({ fix, ...item }: ReviewItem): ReviewItem {
  const effect = fix && EFFECTS[fix.tool];
  if (fix === undefined || effect === undefined) return { ...item, ...(fix && { fix }) };
  return { ...item, fix: { ...fix, arguments: { ...fix.arguments, dry_run: true }, effect } };
}

export interface ReviewItem {
  readonly kind: ReviewKind;
  readonly path: string;
  readonly line?: number;
  /** What is wrong, in a few words. */
  readonly detail: string;
  /** A tool call that fixes it or shows what is needed for that. */
  readonly fix?: ReviewFix;
}

export interface ReviewScope {
  readonly sql: Sql;
  /** A condition on `files f` that begins with AND, or empty. */
  readonly also: string;
  readonly values: readonly SQLInputValue[];
  readonly staleBeforeMs: number;
  /** Today, such as 2026-11-15. */
  readonly today: string;
  /** Of links that a fix adds. */
  readonly linkStyle: LinkStyle;
  /** Where the person's own editor keeps templates and daily notes. */
  readonly kept: KeptFolders;
}

export interface Reviewed {
  readonly items: readonly ReviewItem[];
  /** The next offset; -1 at the end. */
  readonly next: number;
}

/** Finds at most `limit` items of one kind, from `offset` on. */
export type Review = (scope: ReviewScope, offset: number, limit: number) => Reviewed;

/** A review by one query, to which `LIMIT ? OFFSET ?` is appended. */
export function reviewBy<Row>(
  query: (scope: ReviewScope) => { sql: string; values: ReviewScope['values'] },
  item: (row: Row, scope: ReviewScope) => ReviewItem,
): Review {
  return (scope, offset, limit) => {
    const { sql, values } = query(scope);
    const rows = scope.sql.all<Row>(`${sql} LIMIT ? OFFSET ?`, ...values, limit + 1, offset);
    return {
      items: rows.slice(0, limit).map((row) => item(row, scope)),
      next: rows.length > limit ? offset + limit : -1,
    };
  };
}
