import { type Candidate, resolveLink } from './link-names.ts';
import type { Sql } from './sql.ts';

interface LinkRow {
  readonly source: number;
  readonly place: number;
  readonly kind: string;
  readonly target: string;
  readonly key: string;
  readonly destination: number | null;
  readonly ambiguous: number;
  readonly path: string;
}

/** The links of many notes, or with many keys, by one question: a build asks for thousands. */
const linksBy = (column: 'source' | 'key') => `
  SELECT l.source, l.place, l.kind, l.target, l.key, l.destination, l.ambiguous, f.path
  FROM json_each(?) asked CROSS JOIN links l ON l.${column} = asked.value
  JOIN files f ON f.id = l.source`;
const LINKS_BY_KEY = linksBy('key');
const LINKS_BY_SOURCE = linksBy('source');

/**
 * Keeps every link pointing at the file it names. Two things can move a link: its note was written,
 * or a name it asks for came or went; it is looked at in these cases and in no others.
 */
export class LinkResolver {
  readonly #sql: Sql;
  readonly #names = new Set<string>();
  readonly #notes = new Set<number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  nameChanged(key: string): void {
    this.#names.add(key);
  }

  noteChanged(id: number): void {
    this.#notes.add(id);
  }

  forget(): void {
    this.#names.clear();
    this.#notes.clear();
  }

  resolve(): number {
    const candidates = new Map<string, Candidate[]>();
    let looked = 0;
    for (const row of this.#sql.all<LinkRow>(LINKS_BY_KEY, listOf(this.#names))) {
      this.#resolve(row, candidates);
      looked++;
    }
    for (const row of this.#sql.all<LinkRow>(LINKS_BY_SOURCE, listOf(this.#notes))) {
      if (row.key === '' || this.#names.has(row.key)) continue;
      this.#resolve(row, candidates);
      looked++;
    }
    this.forget();
    return looked;
  }

  #resolve(row: LinkRow, known: Map<string, Candidate[]>): void {
    let candidates = known.get(row.key);
    if (!candidates) {
      candidates = this.#sql.all<Candidate>(
        `SELECT n.file, n.via, f.path FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?`,
        row.key,
      );
      known.set(row.key, candidates);
    }
    const found = resolveLink({ kind: row.kind, target: row.target, source: row.path }, candidates);
    const destination = found?.file ?? null;
    const ambiguous = found?.ambiguous ? 1 : 0;
    if (destination === row.destination && ambiguous === row.ambiguous) return;
    this.#sql.run(
      'UPDATE links SET destination = ?, ambiguous = ? WHERE source = ? AND place = ?',
      destination,
      ambiguous,
      row.source,
      row.place,
    );
  }
}

function listOf(values: ReadonlySet<string | number>): string {
  return JSON.stringify([...values]);
}
