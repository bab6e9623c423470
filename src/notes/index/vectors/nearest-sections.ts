/**
 * Compares a vector with that of every section. The vectors of a model are kept in memory, one byte
 * per dimension, and only new ones are read again.
 */
import type { SQLInputValue } from 'node:sqlite';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import { ByteVectors } from './byte-vectors.ts';
import { toInt8 } from './int8.ts';

/** A section, and how near it is: the cosine, at most 1. */
export type NearSection = readonly [section: number, similarity: number];

/** On the table `files f`; empty if every file matches. */
export interface FileCondition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

interface Vectors {
  readonly bytes: ByteVectors;
  /** By place: the id of the row, and 1 / length, which is 0 where there is no vector. */
  readonly ids: number[];
  readonly scales: number[];
}

interface Known {
  version: string;
  readonly models: Map<number, Vectors>;
}

const known = new WeakMap<Sql, Known>();
/** So many of the nearest are looked up first, and then more and more. */
const FIRST_GROUP = 200;
const GROWTH = 4;
/** A section of a note that was changed since is not the text that was embedded. */
const SECTIONS = `
  SELECT t.section, v.id FROM vectors v
    JOIN section_texts t ON t.text_hash = v.text_hash
    JOIN files f ON f.id = t.section / ${SECTIONS_PER_NOTE}
    JOIN embedded_notes e ON e.note = f.id AND e.version = coalesce(f.hash, '') || char(10) || f.title`;

/** The frontmatter or the text before a heading, and the first heading. */
const LEAD_SECTIONS = 2;
const LEADS = `
  SELECT t.section, v.id FROM json_each(?) first
    CROSS JOIN section_texts t ON t.section = first.value
    CROSS JOIN vectors v ON v.model = ? AND v.text_hash = t.text_hash`;

export interface Nearest {
  /** The nearest first; where a condition narrows, only files that meet it. */
  readonly sections: readonly NearSection[];
  /** Of each note among them, how near its beginning is, which says what the whole note is about. */
  readonly leads: ReadonlyMap<number, number>;
  /** By how many standard deviations the nearest of all stands out; undefined of few vectors. */
  readonly standsOut?: number;
}

/** Fewer vectors say nothing about what is usual. */
const MIN_FOR_DEVIATION = 1000;

export function nearestSections(
  sql: Sql,
  { model, values }: { readonly model: number; readonly values: Float32Array },
  filter: FileCondition,
  limit: number,
): Nearest {
  const vectors = vectorsOf(sql, model, values.length);
  if (vectors === undefined || vectors.ids.length === 0) return { sections: [], leads: new Map() };
  const also = filter.sql === '' ? '' : ` AND ${filter.sql}`;
  const similarities = compare(vectors, values);
  const sorted = similarities.toSorted();
  const near: NearSection[] = [];
  let above = Number.POSITIVE_INFINITY;
  for (let size = FIRST_GROUP; above > sorted[0]! && near.length < limit; size *= GROWTH) {
    const least = sorted[Math.max(0, sorted.length - size)]!;
    const group = new Map<number, number>();
    for (const [place, similarity] of similarities.entries()) {
      if (similarity >= least && similarity < above) group.set(vectors.ids[place]!, similarity);
    }
    const rows = sql.lists<[section: number, id: number]>(
      `${SECTIONS} WHERE v.id IN (SELECT value FROM json_each(?))${also}`,
      JSON.stringify([...group.keys()]),
      ...filter.values,
    );
    near.push(...rows.map(([section, id]) => [section, group.get(id)!] as const));
    above = least;
  }
  const sections = near.sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, limit);
  const leads = leadsOf(sql, model, sections, (id) => similarities[placeOf(vectors.ids, id)]!);
  if (sorted.length < MIN_FOR_DEVIATION) return { sections, leads };
  return { sections, leads, standsOut: deviation(sorted) };
}

function leadsOf(
  sql: Sql,
  model: number,
  near: readonly NearSection[],
  similarityOf: (id: number) => number,
): Map<number, number> {
  const notes = new Set(near.map(([section]) => Math.floor(section / SECTIONS_PER_NOTE)));
  const first = [...notes].flatMap((note) =>
    Array.from({ length: LEAD_SECTIONS }, (_, place) => note * SECTIONS_PER_NOTE + place),
  );
  const rows = sql.lists<[section: number, id: number]>(LEADS, JSON.stringify(first), model);
  const leads = new Map<number, number>();
  for (const [section, id] of rows) {
    const note = Math.floor(section / SECTIONS_PER_NOTE);
    leads.set(note, Math.max(leads.get(note) ?? 0, similarityOf(id)));
  }
  return leads;
}

/** Of an id in the list, which is sorted. */
function placeOf(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of the last and largest. */
function deviation(sorted: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (const value of sorted) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / sorted.length;
  return (sorted.at(-1)! - mean) / Math.sqrt(squares / sorted.length - mean * mean);
}

/** The mean of the vectors of a note's sections; undefined where it has none. */
export function noteVector(
  sql: Sql,
  note: number,
): { readonly model: number; readonly values: Float32Array } | undefined {
  const first = note * SECTIONS_PER_NOTE;
  const rows = sql.all<{ model: number; vector: Uint8Array }>(
    `SELECT v.model, v.vector FROM section_texts t JOIN vectors v ON v.text_hash = t.text_hash
      WHERE t.section BETWEEN ? AND ? AND v.model =
        (SELECT model FROM vectors GROUP BY model ORDER BY count(*) DESC LIMIT 1)`,
    first,
    first + SECTIONS_PER_NOTE - 1,
  );
  const vectors = rows.map(({ vector }) => signed(vector)).filter(({ length }) => length > 0);
  if (vectors.length === 0) return undefined;
  const values = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) {
    const scale = scaleOf(vector);
    for (const [at, value] of vector.entries()) values[at]! += value * scale;
  }
  return { model: rows[0]!.model, values };
}

/** A text that the model refused is as far as can be. */
function compare({ bytes, scales }: Vectors, values: Float32Array): Float32Array {
  const query = toInt8(values);
  const scale = scaleOf(query);
  const products = bytes.dotProducts(query);
  const similarities = new Float32Array(products.length);
  for (let place = 0; place < products.length; place++) {
    const other = scales[place]!;
    similarities[place] = other === 0 ? -1 : products[place]! * scale * other;
  }
  return similarities;
}

function vectorsOf(sql: Sql, model: number, dimensions: number): Vectors | undefined {
  const { data_version: version } = sql.get<{ data_version: number }>('PRAGMA data_version')!;
  const all = known.get(sql) ?? { version: '', models: new Map() };
  known.set(sql, all);
  if (all.version !== String(version)) {
    for (const [id, vectors] of all.models) if (!update(sql, id, vectors)) all.models.delete(id);
    all.version = String(version);
  }
  const found = all.models.get(model);
  if (found !== undefined) return found.bytes.dimensions === dimensions ? found : undefined;
  const row = sql.get<{ dimensions: number }>(
    'SELECT dimensions FROM vector_models WHERE id = ?',
    model,
  );
  if (row?.dimensions !== dimensions) return undefined;
  const made: Vectors = { bytes: new ByteVectors(dimensions), ids: [], scales: [] };
  update(sql, model, made);
  all.models.set(model, made);
  return made;
}

/** Reads what is new; says whether nothing was deleted. */
function update(sql: Sql, model: number, { bytes, ids, scales }: Vectors): boolean {
  const rows = sql.each<{ id: number; vector: Uint8Array }>(
    'SELECT id, vector FROM vectors WHERE id > ? AND model = ? ORDER BY id',
    ids.at(-1) ?? 0,
    model,
  );
  for (const { id, vector } of rows) {
    const values = signed(vector);
    const isWhole = values.length === bytes.dimensions;
    bytes.add(isWhole ? values : new Int8Array(bytes.dimensions));
    ids.push(id);
    scales.push(isWhole ? scaleOf(values) : 0);
  }
  const counted = sql.get<{ n: number }>(
    'SELECT count(*) AS n FROM vectors WHERE model = ?',
    model,
  );
  return counted?.n === ids.length;
}

function signed(vector: Uint8Array): Int8Array {
  return new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function scaleOf(values: Int8Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum === 0 ? 0 : 1 / Math.sqrt(sum);
}
