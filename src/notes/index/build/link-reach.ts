/** Which notes and files a change of file names affects. */
import type { FileName } from '../content/link-names.ts';
import type { Sql } from '../store/sql.ts';

export interface LinkReachQuery {
  /** Destinations of links. */
  readonly paths: readonly string[];
  /** Folded names in links, whatever they resolve to. */
  readonly keys: readonly string[];
}

export interface NamedFile extends FileName {
  readonly path: string;
}

const SOURCES_BY_DESTINATION = `
  SELECT DISTINCT s.path FROM files d JOIN links l ON l.destination = d.id
  JOIN files s ON s.id = l.source WHERE d.path = ?`;
const SOURCES_BY_KEY =
  'SELECT DISTINCT s.path FROM links l JOIN files s ON s.id = l.source WHERE l.key = ?';

/** The notes with a link to one of the files or with one of the names. */
export function linkReach(sql: Sql, { paths, keys }: LinkReachQuery): string[] {
  const rows = [
    ...paths.flatMap((path) => sql.all<{ path: string }>(SOURCES_BY_DESTINATION, path)),
    ...keys.flatMap((key) => sql.all<{ path: string }>(SOURCES_BY_KEY, key)),
  ];
  return [...new Set(rows.map(({ path }) => path))].sort();
}

/** Every file with one of the folded names. */
export function namedFiles(sql: Sql, keys: readonly string[]): NamedFile[] {
  return keys.flatMap((key) =>
    sql.all<NamedFile>(
      'SELECT n.key, n.via, n.whole, f.path FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?',
      key,
    ),
  );
}
