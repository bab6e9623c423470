import { join } from 'node:path';
import { openForReading, SECTIONS_PER_NOTE } from '../../../src/notes/index/store/schema.ts';
import { Sql } from '../../../src/notes/index/store/sql.ts';

export type IndexDump = Record<string, unknown[]>;

/** The index of a vault as it is committed, also while a server has it open. */
export function dumpVaultIndex(root: string): IndexDump {
  return dumpIndexFile(join(root, '.notes/index.db'));
}

export function dumpIndexFile(file: string): IndexDump {
  const sql = new Sql(openForReading(file));
  try {
    return dumpIndex(sql);
  } finally {
    sql.close();
  }
}

/**
 * Everything the index knows, in an order and by names that do not depend on how it came about:
 * two indexes of the same files have equal dumps. When a file was indexed is left out.
 */
export function dumpIndex(sql: Sql): IndexDump {
  sql.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.section_terms USING fts5vocab (main, sections_fts, instance);
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.title_terms USING fts5vocab (main, titles_fts, instance);
  `);
  const place = `% ${SECTIONS_PER_NOTE} AS place`;
  const note = `/ ${SECTIONS_PER_NOTE}`;
  const queries: Record<string, string> = {
    files: `SELECT path, kind, depth, size, mtime_ms, words, title, hash, body_hash, problem, skipped,
        linked, language
      FROM files ORDER BY path`,
    names: `SELECT key, via, whole, path FROM names JOIN files ON files.id = file
      ORDER BY 1, 2, 3, 4`,
    sections: `SELECT path, s.id ${place}, line, heading_path, body_start, text
      FROM sections s JOIN files f ON f.id = s.id ${note} ORDER BY 1, 2`,
    links: `SELECT f.path, place, line, l.kind, target, anchor, key, ambiguous, d.path AS destination
      FROM links l JOIN files f ON f.id = source LEFT JOIN files d ON d.id = destination ORDER BY 1, 2`,
    tags: 'SELECT path, key, name FROM tags JOIN files ON files.id = file ORDER BY 1, 2',
    tasks:
      'SELECT path, line, done, text, due, state FROM tasks JOIN files ON files.id = file ORDER BY 1, 2',
    properties: `SELECT path, key, place, text, number, shown
      FROM properties JOIN files ON files.id = file ORDER BY 1, 2, 3`,
    sectionTerms: `SELECT term, path, doc ${place}, col, offset
      FROM section_terms JOIN files f ON f.id = doc ${note} ORDER BY 1, 2, 3, 4, 5`,
    titleTerms: `SELECT term, path, offset FROM title_terms JOIN files f ON f.id = doc ORDER BY 1, 2, 3`,
    strayTerms: `SELECT term, doc FROM section_terms WHERE doc ${note} NOT IN (SELECT id FROM files)`,
  };
  return Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [name, sql.all<object>(query)]),
  );
}
