import type { IndexedLink } from './indexed-note.ts';
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

interface Destination {
  readonly file: number | null;
  readonly ambiguous: 0 | 1;
}

interface WrittenNote {
  readonly path: string;
  readonly links: readonly IndexedLink[];
}

/** The links with any of many keys, by one question: a build asks for thousands. */
const LINKS_BY_KEY = `
  SELECT l.source, l.place, l.kind, l.target, l.key, l.destination, l.ambiguous, f.path
  FROM json_each(?) asked CROSS JOIN links l ON l.key = asked.value
  JOIN files f ON f.id = l.source`;

const MARK_LINKED = `
  UPDATE files AS f SET linked = NOT linked
  WHERE f.id IN (SELECT value FROM json_each(?)) AND f.linked <> (
    EXISTS (SELECT 1 FROM links l WHERE l.source = f.id AND l.destination <> f.id)
    OR EXISTS (SELECT 1 FROM links l WHERE l.destination = f.id AND l.source <> f.id))`;

/** More are written at once, so that a build of notes full of links does not hold them all. */
const MAX_HELD = 50_000;

/**
 * Keeps every link pointing at the file it names. Two things can move a link: its note was written,
 * or a name it asks for came or went; it is looked at in these cases and in no others. The links
 * of a written note are held until the names of the notes written with it are known.
 */
export class LinkResolver {
  readonly #sql: Sql;
  readonly #names = new Set<string>();
  readonly #notes = new Map<number, WrittenNote>();
  /** Files that a link came to lead to or from, or no longer does. */
  readonly #touched = new Set<number>();
  #held = 0;
  #looked = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  nameChanged(key: string): void {
    this.#names.add(key);
  }

  /** Told of every file: one without links may have those that led to another with its id. */
  written(id: number, path: string, links: readonly IndexedLink[]): void {
    this.#touched.add(id);
    if (links.length === 0) return;
    this.#notes.set(id, { path, links });
    this.#held += links.length;
    if (this.#held > MAX_HELD) this.#resolve();
  }

  /** Takes the links of a note out of the index, before it is written anew or forgotten. */
  clear(id: number): void {
    this.#notes.delete(id);
    const led = this.#sql.all<{ file: number }>(
      'SELECT DISTINCT destination AS file FROM links WHERE source = ? AND destination NOT NULL',
      id,
    );
    for (const { file } of led) this.#touched.add(file);
    this.#sql.run('DELETE FROM links WHERE source = ?', id);
  }

  forget(): void {
    this.#names.clear();
    this.#notes.clear();
    this.#touched.clear();
    this.#held = 0;
    this.#looked = 0;
  }

  /** Says how many links were looked at since the last call. */
  resolve(): number {
    this.#resolve();
    if (this.#touched.size > 0) this.#sql.run(MARK_LINKED, listOf(this.#touched));
    const looked = this.#looked;
    this.forget();
    return looked;
  }

  #resolve(): void {
    const known = new Map<string, Candidate[]>();
    for (const row of this.#sql.all<LinkRow>(LINKS_BY_KEY, listOf(this.#names))) {
      this.#move(row, this.#destination(row, row.path, known));
    }
    for (const [id, { path, links }] of this.#notes) this.#insert(id, path, links, known);
    this.#names.clear();
    this.#notes.clear();
    this.#held = 0;
  }

  #destination(
    link: Pick<LinkRow, 'kind' | 'target' | 'key'>,
    source: string,
    known: Map<string, Candidate[]>,
  ): Destination {
    let candidates = known.get(link.key);
    if (!candidates) {
      candidates = this.#sql.all<Candidate>(
        `SELECT n.file, n.via, f.path FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?`,
        link.key,
      );
      known.set(link.key, candidates);
    }
    this.#looked++;
    const found = resolveLink({ kind: link.kind, target: link.target, source }, candidates);
    return { file: found?.file ?? null, ambiguous: found?.ambiguous ? 1 : 0 };
  }

  #move(row: LinkRow, { file, ambiguous }: Destination): void {
    if (file === row.destination && ambiguous === row.ambiguous) return;
    for (const one of [row.source, row.destination, file]) this.#touch(one);
    this.#sql.run(
      'UPDATE links SET destination = ?, ambiguous = ? WHERE source = ? AND place = ?',
      file,
      ambiguous,
      row.source,
      row.place,
    );
  }

  #insert(
    id: number,
    path: string,
    links: readonly IndexedLink[],
    known: Map<string, Candidate[]>,
  ): void {
    const within: Destination = { file: id, ambiguous: 0 };
    for (const [place, link] of links.entries()) {
      const { file, ambiguous } = link.key === '' ? within : this.#destination(link, path, known);
      this.#touch(file);
      this.#sql.run(
        'INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        place,
        link.line,
        link.kind,
        link.target,
        link.anchor,
        link.key,
        file,
        ambiguous,
      );
    }
  }

  #touch(file: number | null): void {
    if (file !== null) this.#touched.add(file);
  }
}

function listOf(values: ReadonlySet<string | number>): string {
  return JSON.stringify([...values]);
}
