import { IndexWriter } from '../../../src/notes/index/build/index-writer.ts';
import { openForWriting } from '../../../src/notes/index/store/schema.ts';
import { Sql } from '../../../src/notes/index/store/sql.ts';
import { addFunctions } from '../../../src/notes/index/store/sql-functions.ts';

/** An index in memory, filled through the one writer there is. */
export function memoryIndex(files: Readonly<Record<string, string | Buffer>> = {}): {
  sql: Sql;
  writer: IndexWriter;
  put(path: string, text: string | Buffer, mtimeMs?: number): ReturnType<IndexWriter['atomically']>;
  remove(path: string): ReturnType<IndexWriter['atomically']>;
} {
  const sql = new Sql(openForWriting(':memory:'));
  addFunctions(sql.database);
  const writer = new IndexWriter(sql, () => 0);
  const put = (path: string, text: string | Buffer, mtimeMs = 1) => {
    const bytes = Buffer.from(text);
    return writer.atomically(() => writer.upsert({ path, size: bytes.length, mtimeMs, bytes }));
  };
  const remove = (path: string) => writer.atomically(() => writer.remove(path));
  for (const [path, text] of Object.entries(files)) put(path, text);
  return { sql, writer, put, remove };
}
