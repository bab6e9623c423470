/**
 * The tables of vectors, in the write thread. `section_texts` says which text each section has,
 * `embedded_notes` of which version of the note that is true, `vectors` holds one vector for each
 * text and model. The caller holds a transaction, and each step is short.
 */
import { matchesGlob } from '../store/glob.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { type SectionRow, sectionText, textHash } from './embedding-text.ts';

export interface VectorModel {
  readonly name: string;
  readonly dimensions: number;
  /** How to reach the model again; no secret. */
  readonly source: string;
}

export interface ListTexts {
  /** Continues after this note. */
  readonly after: number;
  /** Globs of notes whose vectors must not exist. */
  readonly exclude: readonly string[];
}

export interface ListedTexts {
  /** Undefined when all notes were looked at. */
  readonly next?: number;
  readonly changed: number;
}

/** An empty vector marks a text that the model refuses. */
export interface NewVector {
  readonly hash: Uint8Array;
  readonly vector: Int8Array;
}

/** So many notes are compared and so many are read in one step. */
const MAX_COMPARED = 2000;
const MAX_READ = 50;
const MAX_DELETED = 2000;
const EXCLUDED = 'excluded';

const NOTES = `
  SELECT f.id, f.path, f.title, coalesce(f.hash, '') || char(10) || f.title AS version,
    e.version AS known
  FROM files f LEFT JOIN embedded_notes e ON e.note = f.id
  WHERE f.id > ? AND f.kind = 'note' AND f.skipped IS NULL ORDER BY f.id LIMIT ${MAX_COMPARED}`;

interface NoteRow {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly version: string;
  readonly known: string | null;
}

/** Brings the texts of some notes up to date, beginning after `after`. */
export function listTexts(sql: Sql, { after, exclude }: ListTexts): ListedTexts {
  const notes = sql.all<NoteRow>(NOTES, after);
  let changed = 0;
  for (const { id, path, title, version, known } of notes) {
    const isExcluded = exclude.some((glob) => matchesGlob(glob, path));
    const wanted = isExcluded ? EXCLUDED : version;
    if (wanted === known) continue;
    forgetTexts(sql, id);
    if (!isExcluded) putTexts(sql, id, title);
    sql.run('INSERT OR REPLACE INTO embedded_notes VALUES (?, ?)', id, wanted);
    if (++changed === MAX_READ) return { next: id, changed };
  }
  const last = notes.at(-1);
  return notes.length === MAX_COMPARED ? { next: last!.id, changed } : { changed };
}

/** Removes what no note needs any more; says whether there may be more of it. */
export function deleteUnused(sql: Sql, _: undefined): boolean {
  const gone = sql.all<{ note: number }>(
    `SELECT note FROM embedded_notes WHERE note NOT IN
      (SELECT id FROM files WHERE kind = 'note' AND skipped IS NULL) LIMIT ${MAX_READ}`,
  );
  for (const { note } of gone) {
    forgetTexts(sql, note);
    sql.run('DELETE FROM embedded_notes WHERE note = ?', note);
  }
  const before = total(sql);
  sql.exec(`DELETE FROM vectors WHERE id IN (SELECT v.id FROM vectors v
    WHERE NOT EXISTS (SELECT 1 FROM section_texts t WHERE t.text_hash = v.text_hash)
    LIMIT ${MAX_DELETED})`);
  return gone.length === MAX_READ || before - total(sql) === MAX_DELETED;
}

function total(sql: Sql): number {
  return sql.get<{ n: number }>('SELECT count(*) AS n FROM vectors')!.n;
}

/** Its id; a model is another one when its vectors have other dimensions. */
export function putModel(sql: Sql, { name, dimensions, source }: VectorModel): number {
  sql.run(
    `INSERT INTO vector_models (name, dimensions, source) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET source = excluded.source`,
    name,
    dimensions,
    source,
  );
  return sql.get<{ id: number }>(
    'SELECT id FROM vector_models WHERE name = ? AND dimensions = ?',
    name,
    dimensions,
  )!.id;
}

/** All but one model with their vectors; says whether there is more to delete. */
export function deleteOtherModels(sql: Sql, model: number): boolean {
  const others = sql.all<{ id: number }>(
    `SELECT id FROM vectors WHERE model <> ? LIMIT ${MAX_DELETED}`,
    model,
  );
  for (const { id } of others) sql.run('DELETE FROM vectors WHERE id = ?', id);
  if (others.length === MAX_DELETED) return true;
  sql.run('DELETE FROM vector_models WHERE id <> ?', model);
  return false;
}

export function putVectors(
  sql: Sql,
  { model, vectors }: { model: number; vectors: readonly NewVector[] },
): void {
  for (const { hash, vector } of vectors) {
    sql.run(
      'INSERT OR IGNORE INTO vectors (model, text_hash, vector) VALUES (?, ?, ?)',
      model,
      hash,
      vector,
    );
  }
}

function putTexts(sql: Sql, note: number, title: string): void {
  const first = note * SECTIONS_PER_NOTE;
  const sections = sql.all<SectionRow>(
    'SELECT id, heading_path, body_start, text FROM sections WHERE id BETWEEN ? AND ?',
    first,
    first + SECTIONS_PER_NOTE - 1,
  );
  for (const section of sections) {
    const text = sectionText(title, section);
    if (text === '') continue;
    sql.run('INSERT INTO section_texts VALUES (?, ?)', section.id, textHash(text));
  }
}

function forgetTexts(sql: Sql, note: number): void {
  const first = note * SECTIONS_PER_NOTE;
  sql.run(
    'DELETE FROM section_texts WHERE section BETWEEN ? AND ?',
    first,
    first + SECTIONS_PER_NOTE - 1,
  );
}

/** All steps by name, each a transaction. */
export const vectorSteps = {
  listTexts,
  deleteUnused,
  putModel,
  putVectors,
  deleteOtherModels,
} as const;

export type VectorSteps = typeof vectorSteps;
export type StepArgument<Name extends keyof VectorSteps> = Parameters<VectorSteps[Name]>[1];
export type StepResult<Name extends keyof VectorSteps> = ReturnType<VectorSteps[Name]>;
/** One step with its argument. */
export type VectorStep = {
  [Name in keyof VectorSteps]: { readonly step: Name; readonly argument: StepArgument<Name> };
}[keyof VectorSteps];
