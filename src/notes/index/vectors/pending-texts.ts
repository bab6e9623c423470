/** What is still to be embedded, and how much there is. */
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { type SectionRow, sectionText, textHash } from './embedding-text.ts';

export interface PendingQuery {
  readonly model: number;
  /** Continues after this section. */
  readonly after: number;
  readonly limit: number;
}

export interface PendingText {
  readonly hash: Uint8Array;
  readonly text: string;
}

export interface PendingTexts {
  readonly texts: readonly PendingText[];
  /** Undefined after the last. */
  readonly next?: number;
}

export interface VectorCounts {
  /** Sections with text, and those of them that have a vector. */
  readonly total: number;
  readonly done: number;
}

export interface CountedModel extends VectorCounts {
  readonly id: number;
  readonly name: string;
  readonly dimensions: number;
  readonly source: string;
}

interface PendingRow extends SectionRow {
  readonly hash: Uint8Array;
  readonly title: string;
}

/** Texts without a vector. A note that was changed since its texts were listed is left for later. */
export function pendingTexts(sql: Sql, { model, after, limit }: PendingQuery): PendingTexts {
  const rows = sql.all<PendingRow>(
    `SELECT t.text_hash AS hash, f.title, s.id, s.heading_path, s.body_start, s.text
      FROM section_texts t JOIN sections s ON s.id = t.section
        JOIN files f ON f.id = t.section / ${SECTIONS_PER_NOTE}
      WHERE t.section > ? AND NOT EXISTS
        (SELECT 1 FROM vectors v WHERE v.model = ? AND v.text_hash = t.text_hash)
      ORDER BY t.section LIMIT ?`,
    after,
    model,
    limit,
  );
  const texts = rows.flatMap(({ hash, title, ...row }) => {
    const text = sectionText(title, row);
    return textHash(text).equals(hash) ? { hash, text } : [];
  });
  return { texts, ...(rows.length === limit && { next: rows.at(-1)!.id }) };
}

/** Each model with its counts, the oldest first. */
export function countModels(sql: Sql, _: undefined): CountedModel[] {
  return sql.all<CountedModel>(
    `SELECT m.id, m.name, m.dimensions, m.source,
      (SELECT count(*) FROM section_texts) AS total,
      (SELECT count(*) FROM section_texts t JOIN vectors v ON v.text_hash = t.text_hash
        WHERE v.model = m.id) AS done
      FROM vector_models m ORDER BY m.id`,
  );
}

export function countVectors(sql: Sql, _: undefined): number {
  return sql.get<{ n: number }>('SELECT count(*) AS n FROM vectors')!.n;
}
