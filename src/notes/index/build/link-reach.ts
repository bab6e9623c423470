/** What a change of file names concerns: which notes have links to look at, and who has a name. */
import type { FileName } from '../content/link-names.ts';
import type { Sql } from '../store/sql.ts';

export interface LinkReachQuery {
  /** Files that links lead to. */
  readonly paths: readonly string[];
  /** Folded names that links ask for, wherever they lead. */
  readonly keys: readonly string[];
}

export interface NamedFile extends FileName {
  readonly path: string;
}

/** The notes with a link that leads to one of the files or asks for one of the names. */
export function linkReach(sql: Sql, { paths, keys }: LinkReachQuery): string[] {
  const sources = new Set<string>();
  const add = (rows: { readonly path: string }[]) => {
    for (const { path } of rows) sources.add(path);
  };
  for (const path of new Set(paths)) {
    add(
      sql.all(
        `SELECT DISTINCT s.path FROM files d JOIN links l ON l.destination = d.id
          JOIN files s ON s.id = l.source WHERE d.path = ?`,
        path,
      ),
    );
  }
  for (const key of new Set(keys)) {
    add(
      sql.all(
        'SELECT DISTINCT s.path FROM links l JOIN files s ON s.id = l.source WHERE l.key = ?',
        key,
      ),
    );
  }
  return [...sources].sort();
}

/** Every file that goes by one of the folded names, with the names asked for. */
export function namedFiles(sql: Sql, keys: readonly string[]): NamedFile[] {
  return keys.flatMap((key) =>
    sql.all<NamedFile>(
      'SELECT n.key, n.via, f.path FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?',
      key,
    ),
  );
}
