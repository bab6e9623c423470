import type { IndexedLink } from '../content/indexed-note.ts';
import { type Candidate, resolveLink } from '../content/link-names.ts';
import type { Sql } from '../store/sql.ts';

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

type Candidates = ReadonlyMap<string, readonly Candidate[]>;

/** The links with any of many keys, by one question: a build asks for thousands. */
const LINKS_BY_KEY = `
  SELECT l.source, l.place, l.kind, l.target, l.key, l.destination, l.ambiguous, f.path
  FROM json_each(?) asked CROSS JOIN links l ON l.key = asked.value
  JOIN files f ON f.id = l.source`;

const CANDIDATES_BY_KEY = `
  SELECT n.key, n.file, n.via, f.path
  FROM json_each(?) asked CROSS JOIN names n ON n.key = asked.value
  JOIN files f ON f.id = n.file`;

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
    const rows = this.#sql.all<LinkRow>(LINKS_BY_KEY, listOf(this.#names));
    const candidates = this.#candidates(rows);
    for (const row of rows) this.#move(row, this.#destination(row, row.path, candidates));
    for (const [id, note] of this.#notes) this.#insert(id, note, candidates);
    this.#names.clear();
    this.#notes.clear();
    this.#held = 0;
  }

  /** The files that go by the names these links and those of the notes ask for, by name. */
  #candidates(rows: readonly LinkRow[]): Candidates {
    const keys = new Set(rows.map(({ key }) => key));
    for (const { links } of this.#notes.values()) for (const { key } of links) keys.add(key);
    keys.delete('');
    const named = this.#sql.all<Candidate & { key: string }>(CANDIDATES_BY_KEY, listOf(keys));
    return Map.groupBy(named, ({ key }) => key);
  }

  #destination(
    { kind, target, key }: Pick<LinkRow, 'kind' | 'target' | 'key'>,
    source: string,
    candidates: Candidates,
  ): Destination {
    this.#looked++;
    const found = resolveLink({ kind, target, source }, candidates.get(key) ?? []);
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

  #insert(id: number, { path, links }: WrittenNote, candidates: Candidates): void {
    const within: Destination = { file: id, ambiguous: 0 };
    for (const [place, link] of links.entries()) {
      const { file, ambiguous } =
        link.key === '' ? within : this.#destination(link, path, candidates);
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
