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
  /** Without stored links. */
  readonly isNew: boolean;
}

interface StoredLink extends IndexedLink {
  readonly destination: number | null;
}

type Candidates = ReadonlyMap<string, readonly Candidate[]>;

/** One query for many keys: a build resolves thousands. */
const LINKS_BY_KEY = `
  SELECT l.source, l.place, l.kind, l.target, l.key, l.destination, l.ambiguous, f.path
  FROM json_each(?) asked CROSS JOIN links l ON l.key = asked.value
  JOIN files f ON f.id = l.source`;

/** In the order of their places, which are counted from 0. */
const LINKS_OF_FILE = `
  SELECT line, kind, target, anchor, key, destination FROM links WHERE source = ? ORDER BY place`;

const CANDIDATES_BY_KEY = `
  SELECT n.key, n.file, n.via, n.whole, f.path
  FROM json_each(?) asked CROSS JOIN names n ON n.key = asked.value
  JOIN files f ON f.id = n.file`;

const MARK_LINKED = `
  UPDATE files AS f SET linked = NOT linked
  WHERE f.id IN (SELECT value FROM json_each(?)) AND f.linked <> (
    EXISTS (SELECT 1 FROM links l WHERE l.source = f.id AND l.destination <> f.id)
    OR EXISTS (SELECT 1 FROM links l WHERE l.destination = f.id AND l.source <> f.id))`;

/** More links are resolved early, to bound the memory of a build. */
const MAX_PENDING_LINKS = 20_000;

/**
 * Keeps the destinations of links up to date. A link is resolved again only when its note is
 * written or when its name appears or disappears. The links of a written note wait until the names
 * of all notes of the transaction are known.
 */
export class LinkResolver {
  readonly #sql: Sql;
  readonly #names = new Set<string>();
  readonly #notes = new Map<number, WrittenNote>();
  /** Files whose incoming or outgoing links have changed. */
  readonly #touched = new Set<number>();
  #pendingLinks = 0;
  #resolved = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  nameChanged(key: string): void {
    this.#names.add(key);
  }

  /** Must be called for every file, also without links: the id of a new one may be reused. */
  written(id: number, path: string, links: readonly IndexedLink[], isNew: boolean): void {
    if (isNew) this.#touched.add(id);
    if (links.length === 0) {
      if (!isNew) this.clear(id);
      return;
    }
    this.#notes.set(id, { path, links, isNew });
    this.#pendingLinks += links.length;
    if (this.#pendingLinks > MAX_PENDING_LINKS) this.#resolve();
  }

  /** Deletes the links of a note that is removed or has no links any more. */
  clear(id: number): void {
    this.#notes.delete(id);
    this.#touched.add(id);
    const destinations = this.#sql.all<{ file: number }>(
      'SELECT DISTINCT destination AS file FROM links WHERE source = ? AND destination NOT NULL',
      id,
    );
    for (const { file } of destinations) this.#touched.add(file);
    this.#sql.run('DELETE FROM links WHERE source = ?', id);
  }

  forget(): void {
    this.#names.clear();
    this.#notes.clear();
    this.#touched.clear();
    this.#pendingLinks = 0;
    this.#resolved = 0;
  }

  /** Returns how many links were resolved since the last call. */
  resolve(): number {
    this.#resolve();
    if (this.#touched.size > 0) this.#sql.run(MARK_LINKED, listOf(this.#touched));
    const resolved = this.#resolved;
    this.forget();
    return resolved;
  }

  #resolve(): void {
    const rows = this.#sql.all<LinkRow>(LINKS_BY_KEY, listOf(this.#names));
    const candidates = this.#candidates(rows);
    for (const row of rows) this.#move(row, this.#destination(row, row.path, candidates));
    for (const [id, note] of this.#notes) this.#put(id, note, candidates);
    this.#names.clear();
    this.#notes.clear();
    this.#pendingLinks = 0;
  }

  /** The files by name, for all names in these links and those of the written notes. */
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
    this.#resolved++;
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

  /** Writes the links that differ from the stored ones, whose destinations are up to date. */
  #put(id: number, { path, links, isNew }: WrittenNote, candidates: Candidates): void {
    const stored = isNew ? [] : this.#sql.all<StoredLink>(LINKS_OF_FILE, id);
    const within: Destination = { file: id, ambiguous: 0 };
    for (const [place, link] of links.entries()) {
      const old = stored[place];
      if (old && isSameLink(old, link)) continue;
      const destination = link.key === '' ? within : this.#destination(link, path, candidates);
      if (old) this.#delete(id, place, old);
      this.#insert(id, place, link, destination);
    }
    for (let place = links.length; place < stored.length; place++) {
      this.#delete(id, place, stored[place]!);
    }
  }

  #delete(id: number, place: number, { destination }: StoredLink): void {
    this.#touch(id);
    this.#touch(destination);
    this.#sql.run('DELETE FROM links WHERE source = ? AND place = ?', id, place);
  }

  #insert(id: number, place: number, link: IndexedLink, { file, ambiguous }: Destination): void {
    this.#touch(id);
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

  #touch(file: number | null): void {
    if (file !== null) this.#touched.add(file);
  }
}

function isSameLink(one: IndexedLink, other: IndexedLink): boolean {
  return (
    one.line === other.line &&
    one.kind === other.kind &&
    one.target === other.target &&
    one.anchor === other.anchor &&
    one.key === other.key
  );
}

function listOf(values: ReadonlySet<string | number>): string {
  return JSON.stringify([...values]);
}
